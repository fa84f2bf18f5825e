/**
 * `maySee` (src/domain/memories/policy.ts) as SQL, for D1 and for the index object: the one place where SQL says who sees a
 * row within its team. A test compares both. The statement around it restricts the team.
 */
export const isVisible = (row: string, user: string): string => `(${row}.visibility <> 'private' OR ${row}.owner_id = ${user})`;

/** The same for rows that hold a visibility key (`visibilityKeyOf`) instead. */
export const isVisibleKey = (column: string, user: string): string => `${column} IN ('', ${user})`.trimStart();
