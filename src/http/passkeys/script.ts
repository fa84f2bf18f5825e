/**
 * The one script of the pages, because passkeys have no other way: served from this origin, never inline. A button with
 * `data-passkey` begins a ceremony; without script or passkeys in the browser the button stays hidden.
 */
export const passkeyScript = `"use strict";
const ask = async (path, body) => {
  const answer = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const told = await answer.json();
  if (told.error?.code === "FRESH_SIGN_IN_REQUIRED") location.assign("/sign-in?again=ways-in");
  if (!answer.ok) throw new Error(told.error.message);
  return told;
};
const ceremonies = {
  async add(button) {
    const options = PublicKeyCredential.parseCreationOptionsFromJSON(await ask("/passkeys/options", {}));
    const credential = await navigator.credentials.create({ publicKey: options });
    const name = document.getElementById(button.dataset.name).value;
    return ask("/passkeys", { name, credential: credential.toJSON() });
  },
  async use() {
    const options = PublicKeyCredential.parseRequestOptionsFromJSON(await ask("/sign-in/passkey/options", {}));
    const credential = await navigator.credentials.get({ publicKey: options });
    return ask("/sign-in/passkey", { credential: credential.toJSON() });
  },
};
const reasons = {
  NotAllowedError: "Nothing was done: it was cancelled or took too long.",
  InvalidStateError: "This device has a passkey of yours already.",
};
for (const button of document.querySelectorAll("button[data-passkey]")) {
  if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) continue;
  const status = document.getElementById("passkey-status");
  button.closest("[hidden]")?.removeAttribute("hidden");
  button.addEventListener("click", async () => {
    button.disabled = true;
    status.textContent = "";
    try {
      const { location: next } = await ceremonies[button.dataset.passkey](button);
      location.assign(next);
    } catch (error) {
      status.textContent = reasons[error.name] ?? error.message;
      button.disabled = false;
    }
  });
}
`;
