import type { Change } from "../domain/events/change-of.ts";
import type { Framed } from "../domain/frame.ts";
import type { Scope } from "../domain/tenancy/principal.ts";
import type { Completer } from "./define-prompt.ts";
import type { ToolContext } from "./define-tool.ts";

/** An entry of a list of resources. */
export type ListedResource = { uri: string; name: string; description: string; mimeType: string };

export type ResourcePage = { resources: ListedResource[]; nextCursor?: string };

/** Something that a client reads and watches by its URI. It knows no protocol, as a tool does not. */
export interface Resource {
  /** A URI, or a template of URIs with variables in braces (RFC 6570, level 1). */
  uri: string;
  /** The form of a URI of this resource, variables as groups. */
  pattern: RegExp;
  /** Whether `uri` is a template. */
  isTemplate: boolean;
  name: string;
  /** For people; templates have one. */
  title?: string;
  description: string;
  scope: Scope;
  /** What the resource holds, or undefined where there is none of this URI. `variables` are those of the template, in order. */
  read(ctx: ToolContext, variables: readonly string[]): Promise<Framed | undefined>;
  /** The instances of a template, in pages; at most one resource of the catalogue lists instances, because a list has one cursor. */
  list?(ctx: ToolContext, cursor: string | undefined): Promise<ResourcePage>;
  /** Values of the variables of a template. */
  completions?: Partial<Record<string, Completer>>;
  /** URIs whose content changes with this; clients that watch them are told. */
  changedWith(change: Change): string[];
  /** Of a template, whether the content of any URI that is watched may change with this, where the change does not say which. */
  mayChangeWith?(change: Change): boolean;
  /** A URI of this template may hold any text; the audit notes the template instead. */
  isNamedFreely?: true;
}

export const jsonType = "application/json";

export interface ResourceDefinition extends Omit<Resource, "pattern" | "isTemplate"> {
  /** What each variable of the template may be, as the source of a regular expression. */
  variables?: Record<string, string>;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
const variable = /\{([a-z_]+)\}/;

export function defineResource({ variables = {}, ...definition }: ResourceDefinition): Resource {
  const parts = definition.uri.split(variable);
  // Every second part is the name of a variable.
  const source = parts.map((part, at) => (at % 2 === 0 ? escaped(part) : `(${variables[part] ?? "[^/]+"})`)).join("");
  return { ...definition, pattern: new RegExp(`^${source}$`), isTemplate: parts.length > 1 };
}
