/** For a client whose id is the address of its description, when that could not be read. */
export const UnreadableClientPage = ({ address, local }: { address: string; local: boolean }) => (
  <>
    <h1>The client's description could not be fetched</h1>
    <p>
      This client is described by a document at <strong>{new URL(address).host}</strong>. OmniMemory could not fetch it from there, or it does
      not describe the client that asks. {local && "Does this machine have a network?"}
    </p>
    <p>
      Start again from the client once {new URL(address).host} can be reached. To go on without it, let the client register itself, or give it an
      API key, which you make in <a href="/#keys">Your account</a>.
    </p>
    <p class="aside">
      <code>{address}</code>
    </p>
  </>
);
