/** Below what leads nowhere else. */
export const ToAccount = () => (
  <p>
    <a href="/">Back to your account</a>
  </p>
);
