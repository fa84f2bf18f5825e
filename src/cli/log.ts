/** `error` and `warn` are for the person at the terminal; the rest is for who asks for it. */
export type LogLevel = "error" | "warn" | "info" | "debug";

export type Logger = (level: LogLevel, message: string) => void;

/** What workerd calls its levels; `console.log` in the Worker arrives as "log". */
export const levelOf = (name: string): LogLevel =>
  name === "error" || name === "warn" || name === "debug" ? name : "info";
