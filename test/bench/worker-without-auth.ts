import { UserSession as ProductUserSession } from "../../src/session/user-session.ts";

// The class below takes the place of the product's.
export * from "../../src/index.ts";
export { default } from "../../src/index.ts";

type Proof = ReturnType<ProductUserSession["prove"]>;

/** The product's session object, which believes for good what the first request proved: what authentication costs is missing. */
export class UserSession extends ProductUserSession {
  #first: Proof | undefined;

  protected override prove(...presented: Parameters<ProductUserSession["prove"]>): Proof {
    return (this.#first ??= super.prove(...presented));
  }
}
