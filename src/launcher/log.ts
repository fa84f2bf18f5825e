/** `error` and `warn` are for the person at the terminal; the rest is for who asks for it. */
export type LogLevel = "error" | "warn" | "info" | "debug";

export type Logger = (level: LogLevel, message: string) => void;

/** workerd prints its own stack for a request that finds no network or host. The Worker hears of it too, and says what it means. */
const unreachable = /^e = .*(?:lookup address information|DNS lookup failed|Network is unreachable|Connection (?:refused|reset|timed out))/i;

/** workerd's names of levels; `console.log` in the Worker arrives as "log". */
export function levelOf(name: string, message: string): LogLevel {
  if (unreachable.test(message)) return "debug";
  return name === "error" || name === "warn" || name === "debug" ? name : "info";
}
