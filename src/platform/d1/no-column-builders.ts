/**
 * Takes the place of drizzle's list of column types in the Worker's bundle (`alias` in wrangler.toml): it is for tables that are
 * written as a callback, and each schema here names the types it uses. Those that none does stay out.
 */
export const getSQLiteColumnBuilders = () => ({});
