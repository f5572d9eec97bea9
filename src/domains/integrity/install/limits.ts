/** What a source may cost. A limit that is passed refuses the whole source; nothing is cut off. */

/** Of an archive as it comes over the network. */
export const ARCHIVE_BYTES_MAX: number = 50 * 1024 * 1024;
/** Of everything in a source that is unpacked or read. */
export const EXPANDED_BYTES_MAX: number = 64 * 1024 * 1024;
/** Unpacked bytes for each packed one; below the floor an archive may be as dense as it likes. */
export const RATIO_MAX: number = 100;
export const RATIO_FLOOR_BYTES: number = 1024 * 1024;
export const ENTRIES_MAX: number = 10_000;
/** A repository has more files than its skills do. */
export const REPOSITORY_ENTRIES_MAX: number = 200_000;
export const SKILLS_MAX: number = 1_000;

export const NAME_BYTES_MAX: number = 255;
export const PATH_BYTES_MAX: number = 1024;
export const DEPTH_MAX: number = 16;

export const INDEX_BYTES_MAX: number = 4 * 1024 * 1024;
export const REDIRECTS_MAX: number = 5;
export const HTTP_MS_MAX: number = 60_000;

/** Of what git fetches, on disk. */
export const REPOSITORY_BYTES_MAX: number = 256 * 1024 * 1024;
export const GIT_MS_MAX: number = 120_000;
