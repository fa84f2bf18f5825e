/**
 * Takes the place of drizzle's enums of Postgres in the Worker's bundle (`alias` in wrangler.toml): drizzle asks of each value of a
 * statement whether it is one, and no value of SQLite is. With that file comes a tenth of drizzle that nothing here uses.
 */
export const isPgEnum = () => false;
