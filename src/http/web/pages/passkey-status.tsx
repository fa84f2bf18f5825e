/** Where the script says what became of a passkey. */
export const PasskeyStatus = () => (
  <>
    <noscript>
      <p>Passkeys need JavaScript, which is off here.</p>
    </noscript>
    <p id="passkey-status" role="status"></p>
  </>
);
