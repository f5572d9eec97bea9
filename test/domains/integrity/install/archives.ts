/** Archives made byte by byte, as no packer would make them. */
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

export interface TarEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** `0` a file, `5` a folder, `2` a link, `1` a hard link, `3` and `4` devices, `6` a pipe, `x` extended facts. */
  readonly type?: string;
  readonly mode?: number;
  readonly link?: string;
  /** What the header says, when it is not the truth. */
  readonly size?: number;
}

export function tarGz(entries: readonly TarEntry[]): Buffer {
  return gzipSync(tar(entries));
}

export function tar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.map(tarEntry), Buffer.alloc(1024)]);
}

function tarEntry({ name, content = '', type = '0', mode = 0o644, link = '', size }: TarEntry): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100, 'utf8');
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${(size ?? bytes.length).toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(link, 157, 100, 'utf8');
  header.write('ustar\0', 257);
  header.write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

/** An extended header that gives the following entry another name. */
export function paxName(name: string): TarEntry {
  const fact = ` path=${name}\n`;
  let length = Buffer.byteLength(fact) + 1;
  while (String(length).length + Buffer.byteLength(fact) !== length) length++;
  return { name: 'pax', type: 'x', content: `${length}${fact}` };
}

export interface ZipEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** The whole mode as on Unix, with the kind of file. */
  readonly mode?: number;
  /** Bit 0 says encrypted. */
  readonly flags?: number;
  /** What the directory says, when it is not the truth. */
  readonly size?: number;
  readonly crc?: number;
}

const UTF8_NAMES = 0x800;

export function zip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', mode = 0o100644, flags = 0, size, crc } of entries) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const file = Buffer.from(name, 'utf8');
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(UTF8_NAMES | flags, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? bytes.length, 18);
    common.writeUInt16LE(file.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, file, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(mode * 0x10000, 6);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, rest, file]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
