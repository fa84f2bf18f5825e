import { DomainError } from "../errors.ts";

export const noMasterKey = (): DomainError =>
  new DomainError("PROVIDER_ERROR", "This server has no master key, so it cannot keep secrets. Nothing was written.", {
    hint: "Whoever runs it sets MASTER_KEYS (docs/secrets.md). Do not store it without sensitivity: secret instead.",
  });

/** `id` is the name of the master key, which is no secret. */
export const missingMasterKey = (id: string): DomainError =>
  new DomainError("PROVIDER_ERROR", `The team's data key is wrapped with the master key "${id}", which this server does not have.`, {
    hint: `Whoever runs it puts "${id}" back into MASTER_KEYS, at any place but the first.`,
  });

export const wrongMasterKey = (id: string): DomainError =>
  new DomainError("PROVIDER_ERROR", `The master key "${id}" is not the one with which the team's data key was wrapped.`, {
    hint: `Whoever runs it gives "${id}" in MASTER_KEYS the value that it had; a new value needs a new id.`,
  });

export const missingDataKey = (): DomainError =>
  new DomainError("PROVIDER_ERROR", "The data key of this secret is gone, and with it what it said.", { hint: "Erase the memory (omn_forget_memory, mode erase)." });

/** The stored text is not what was sealed: changed, cut, or from another memory, version or field. */
export class DamagedSecret extends DomainError {
  constructor(memoryId: string) {
    super("INTERNAL_ERROR", `The secret ${memoryId} cannot be opened: what is stored under it is not what was sealed. It was refused, and noted in the audit.`, {
      hint: "Tell whoever runs this server. To start anew, erase the memory (omn_forget_memory, mode erase) and store it again.",
    });
  }
}
