/** How clients name the server. */
export const serverName = "omnimemory";

export interface Told {
  /** Of the MCP endpoint. */
  url: string;
  /** Left out of a file that is for all projects. */
  project?: string | undefined;
  /** A key that the client reads from its environment or asks for, or a person who signs in with the browser. */
  by: "key" | "browser";
}

/** A server as a file names it; the key in the header may be a variable, `${NAME}`. */
export interface Server {
  url?: string | undefined;
  headers?: Record<string, string> | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A client, the files that it reads, and what stands in them. */
export interface Client {
  name: string;
  format: "json" | "toml" | "yaml";
  /** In a project's folder, and for all projects, where the client reads such files. */
  project?: string;
  user?(env: Environment): string;
  /** Where the client has but one way in that keeps the key out of the file. */
  only?: Told["by"];
  /** The file with the server, beside what stands there. @throws Unsafe */
  written(before: string, told: Told): string;
  /** The servers in a file that is no JSON, by their names. */
  read?(text: string): Record<string, Server>;
  /** Files of the form `NAME=value` in which it looks for the key, too. */
  keyFiles?(root: string): string[];
  /** What a person does then. */
  next: Record<Told["by"], string>;
}

/** A file whose text cannot take the server without the risk that something is lost. */
export class Unsafe extends Error {}

export const headersOf = ({ project, by }: Told, key: string): Record<string, unknown> => {
  const headers = { ...(by === "key" ? { Authorization: `Bearer ${key}` } : {}), ...(project === undefined ? {} : { "X-Memory-Project": project }) };
  return Object.keys(headers).length === 0 ? {} : { headers };
};
