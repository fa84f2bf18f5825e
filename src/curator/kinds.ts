import type { WorkKind } from "../domain/curation/work-kind.ts";
import { consolidation, type ConsolidationPorts } from "../domain/evolution/consolidation.ts";
import { enrichment, type EnrichmentPorts } from "../domain/evolution/enrichment.ts";
import { evolution } from "../domain/evolution/evolve.ts";
import { linkDecay, type LinkDecayPorts } from "../domain/evolution/link-decay.ts";

/** All kinds of work that the curator does. */
export const workKinds = (ports: ConsolidationPorts & EnrichmentPorts & LinkDecayPorts): readonly WorkKind[] => [evolution(ports), consolidation(ports), enrichment(ports), linkDecay(ports)];
