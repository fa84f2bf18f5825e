/** How the server names itself to clients. */
export const serverInfo = { name: "omnimemory", title: "OmniMemory", version: "0.1.0" };
