import type { NamedModel } from "../domain/evolution/enrichment.ts";
import type { IntelligenceSettingStore } from "../domain/intelligence/intelligence-setting.ts";
import { rules } from "../domain/intelligence/rules/rules.ts";
import type { TeamRef } from "../domain/tenancy/team-ref.ts";
import type { IntelligenceOptions, IntelligencePorts } from "../platform/intelligence/intelligence-from.ts";

interface ModelPorts extends Omit<IntelligencePorts, "rules"> {
  settings: Pick<IntelligenceSettingStore, "setting">;
}

/** The model of the deployment for the team of an object, made anew when the team's setting changes: it keeps count of outages. */
export function modelsOf(options: IntelligenceOptions, { settings, ...ports }: ModelPorts): (team: TeamRef) => Promise<NamedModel | undefined> {
  let made: { of: string; intelligence: NamedModel["intelligence"] } | undefined;
  return async (team) => {
    const { choice } = options;
    if (!choice) return undefined;
    const setting = await settings.setting(team);
    if (setting.provider === "rules") return undefined;
    const of = JSON.stringify([team, setting]);
    if (made?.of !== of) {
      // Most deployments ask no model, and its clients take longer to load than all the rest.
      const { intelligenceFrom } = await import("../platform/intelligence/intelligence-from.ts");
      made = { of, intelligence: intelligenceFrom(options, team, setting, { ...ports, rules }) };
    }
    return { name: `${choice.provider}:${choice.model}`, intelligence: made.intelligence };
  };
}
