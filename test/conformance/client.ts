/** `client.ts URL`: our MCP client as the conformance checks drive it. Lists the tools of the server and calls each of them once. */
import { configSchema } from "../../src/config/schema.js";
import { connect } from "../../src/mcp/connection.js";

const url = process.argv.at(-1);
const settings = configSchema.parse({ mcp_servers: { checked: { url } } }).mcp_servers.checked!;
const { signal } = new AbortController();
const connection = await connect(
  {
    settings,
    env: process.env,
    mark: "",
    onTools: () => undefined,
    onError: (error) => console.error(error.message),
  },
  signal,
);
for (const { name, inputSchema } of connection.tools) {
  const args = Object.fromEntries(Object.keys(inputSchema.properties ?? {}).map((key) => [key, 1]));
  console.log(JSON.stringify(await connection.call(name, args, { key: name, signal })));
}
await connection.close();
