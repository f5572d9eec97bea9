-- The text of a skill is found through its root. In the table that stands behind the snapshot of the root, which grows
-- with the skills and would be walked through page by page for every text; here it stands alone.

CREATE INDEX idx_skill_roots_display ON skill_roots(display, path);
