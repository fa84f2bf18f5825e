/** Error form of the memory-server document, section 12, for answers that no tool gives. */
export const errorBody = (code: string, message: string, requestId: string) => ({
  error: { code, message, timestamp: new Date().toISOString(), request_id: requestId },
});

export const unauthorized = (message: string, requestId: string): Response =>
  Response.json(errorBody("INVALID_SESSION", message, requestId), {
    status: 401,
    headers: { "www-authenticate": 'Bearer realm="omnimemory"' },
  });

/** One text for every reason: an answer must not tell which keys exist. */
export const invalidKey = (requestId: string): Response =>
  unauthorized("The API key is not valid. It may be mistyped, expired or revoked.", requestId);
