import { join } from "node:path";
import { staticModel } from "../platform/local/static-model.ts";
import { metadataIndexes } from "../platform/vectorize/metadata-indexes.ts";
import type { WorkerModule } from "./bundle.ts";
import { projectRoot } from "./project.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** A Worker of its own, because it carries an embedding model of several MB that is not to be deployed. */
export const localPlatformEntry = join(projectRoot, "src", "platform", "local", "worker.ts");

const name = "omnimemory-local";

interface StandIn {
  name: string;
  entrypoint: string;
  props?: Record<string, unknown>;
}

export interface LocalPlatform {
  /** The product's options, bound to the stand-ins. */
  product: WorkerOptions & { serviceBindings: Record<string, StandIn> };
  /** The Worker that stands in. */
  standIn: {
    name: string;
    compatibilityDate: string;
    compatibilityFlags: string[];
    modules: WorkerModule[];
    durableObjects: Record<string, { className: string; useSQLite: true }>;
    serviceBindings: Record<string, { network: { allow: string[]; tlsOptions: { trustBrowserCas: boolean } } }>;
  };
}

export interface LocalPlatformOptions {
  /** Options of the product, as wrangler made them of wrangler.toml. */
  worker: WorkerOptions;
  /** Bundle of `localPlatformEntry`. */
  modules: WorkerModule[];
  /** Variables of the product; the built-in model embeds unless they name another one. */
  vars?: Record<string, string>;
}

/** A binding to an index of its own for each dimension; `visibleAfterMs` is how long it takes to show what was written. */
export function vectorizeStandIn(dimensions: number, { index = `omnimemory-${dimensions}`, visibleAfterMs = 0 } = {}): StandIn {
  return { name, entrypoint: "VectorizeEmulator", props: { index, dimensions, metadataIndexes, visibleAfterMs } };
}

export const aiStandIn: StandIn = { name, entrypoint: "AiEmulator" };

/** The service for the product's own requests (`Outbound`), for the product's options. */
export const outbound = (vars: Record<string, string>): StandIn => ({ name, entrypoint: "Outbound", props: { configured: configuredHosts(vars) } });

/** The hosts of the services that the configuration names. The Worker refuses what cannot be read. */
function configuredHosts({ EMBEDDINGS_URL, SIGN_IN_PROVIDERS, INTELLIGENCE_PROVIDER, INTELLIGENCE_BASE_URL }: Record<string, string>): string[] {
  let issuers: unknown[] = [];
  try {
    const providers: unknown = JSON.parse(SIGN_IN_PROVIDERS || "[]");
    issuers = Array.isArray(providers) ? providers.map((provider: { issuer?: unknown } | null) => provider?.issuer) : [];
  } catch {
    // No JSON: the Worker does not start with it, and says why.
  }
  const model = INTELLIGENCE_BASE_URL || (INTELLIGENCE_PROVIDER === "anthropic" ? "https://api.anthropic.com" : undefined);
  return [EMBEDDINGS_URL, model, ...issuers].flatMap((url) => (typeof url === "string" && URL.canParse(url) ? new URL(url).host : []));
}

/**
 * Stands in for the bindings that have no local simulation, Workers AI and Vectorize: what wrangler knows of them would ask
 * for a login and go to the network.
 */
export function localPlatform({ worker, modules, vars = {} }: LocalPlatformOptions): LocalPlatform {
  // An index for each dimension: the vectors of the built-in model stay beside those of another one that is moved to.
  const builtIn = staticModel.dimensions;
  const configured = Number(vars["EMBEDDINGS_DIMENSIONS"] ?? builtIn);
  const isBuiltIn = vars["EMBEDDINGS"] !== "openai" && vars["EMBEDDINGS_MODEL"] === undefined;
  const { ai: _ai, vectorize: _vectorize, ...product } = worker;
  return {
    product: {
      ...product,
      serviceBindings: {
        AI: aiStandIn,
        VECTORIZE: vectorizeStandIn(builtIn),
        ...(isBuiltIn || configured === builtIn ? {} : { VECTORIZE_NEXT: vectorizeStandIn(configured) }),
      },
      bindings: { ...product.bindings, ...(isBuiltIn ? { EMBEDDINGS_MODEL: staticModel.name } : {}), ...vars },
    } as LocalPlatform["product"],
    standIn: {
      name,
      compatibilityDate: worker.compatibilityDate,
      compatibilityFlags: ["nodejs_compat"],
      modules,
      durableObjects: { VECTORS: { className: "LocalVectors", useSQLite: true } },
      serviceBindings: { PUBLIC: { network: { allow: ["public"], tlsOptions: { trustBrowserCas: true } } } },
    },
  };
}
