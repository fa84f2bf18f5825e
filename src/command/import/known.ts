import type { OmniMemory } from "../../client/client.ts";
import { masks } from "../../domain/guard/mask.ts";

/** What each place says, or said once: what a person changed or archived there does not come back with a second import. */
export class Known {
  readonly #texts = new Set<string>();
  readonly #masked: string[][] = [];

  static async of(memory: OmniMemory): Promise<Known> {
    const known = new Known();
    for await (const { content, namespace, history } of memory.export()) {
      known.add(String(namespace), String(content));
      const versions = (Array.isArray(history) ? history : []) as { state?: { content?: unknown; namespace?: unknown } }[];
      for (const { state } of versions) known.add(String(state?.namespace), String(state?.content));
    }
    return known;
  }

  /** Whether it was not there yet. */
  add(namespace: string, content: string): boolean {
    const name = `${namespace}\n${content.trim()}`;
    if (this.#texts.has(name) || this.#masked.some((parts) => isAround(parts, name))) return false;
    this.#texts.add(name);
    const parts = name.split(masks);
    if (parts.length > 1) this.#masked.push(parts);
    return true;
  }
}

/** Whether a text is these parts, in their order, with something between them. */
function isAround(parts: readonly string[], text: string): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop() ?? "";
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const next = text.indexOf(part, at + 1);
    if (next === -1) return false;
    at = next + part.length;
  }
  return at < text.length - last.length;
}
