import type { CDPSession, Page } from "playwright-core";

/** A device that keeps passkeys and recognizes its person, plugged into one window. */
export class Device {
  readonly #session: CDPSession;
  readonly #id: string;

  private constructor(session: CDPSession, id: string) {
    this.#session = session;
    this.#id = id;
  }

  static async plugInto(page: Page): Promise<Device> {
    const session = await page.context().newCDPSession(page);
    await session.send("WebAuthn.enable");
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    });
    return new Device(session, authenticatorId);
  }

  /** Whether it takes whoever holds it for its person. */
  async recognizes(isUserVerified: boolean): Promise<void> {
    await this.#session.send("WebAuthn.setUserVerified", { authenticatorId: this.#id, isUserVerified });
  }

  /** Moves what `other` keeps into this one, as somebody does who broke into it. */
  async copyFrom(other: Device): Promise<void> {
    const { credentials } = await other.#session.send("WebAuthn.getCredentials", { authenticatorId: other.#id });
    for (const credential of credentials) await this.#session.send("WebAuthn.addCredential", { authenticatorId: this.#id, credential });
  }

  async unplug(): Promise<void> {
    await this.#session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId: this.#id });
    await this.#session.detach();
  }
}
