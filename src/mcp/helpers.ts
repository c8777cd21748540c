/** Tools that read a server's resources and prompts, if it has any. Named as in Hermes Agent. */
import { textArgument } from "../tools/arguments.js";
import { failure } from "../tools/result.js";
import type { ToolDefinition } from "../tools/tool.js";
import { promptText, resourceText } from "./result.js";
import type { ServerLink } from "./server-link.js";
import { commonOf } from "./tool-rules.js";

const MAX_LISTED = 500;
const NO_ARGUMENTS = { type: "object", properties: {} };

export function helperTools(link: ServerLink): ToolDefinition[] {
  const { has, settings } = link;
  return [
    ...(has.resources && settings.tools.resources ? [listResources(link), readResource(link)] : []),
    ...(has.prompts && settings.tools.prompts ? [listPrompts(link), getPrompt(link)] : []),
  ];
}

function helper(
  link: ServerLink,
  name: string,
  rest: Pick<ToolDefinition, "description" | "parameters" | "run">,
): ToolDefinition {
  return { ...commonOf(link, name, true), repeat: "safe", ...rest };
}

function listResources(link: ServerLink): ToolDefinition {
  return helper(link, "list_resources", {
    description: `Lists the resources of the MCP server ${link.name}.`,
    parameters: NO_ARGUMENTS,
    run: async (_, { signal }) => {
      const found = await (await link.connected(signal)).listResources(signal);
      const resources = found
        .slice(0, MAX_LISTED)
        .map(({ uri, name, description, mimeType }) => ({ uri, name, description, mimeType }));
      return JSON.stringify({ count: found.length, resources });
    },
  });
}

function readResource(link: ServerLink): ToolDefinition {
  return helper(link, "read_resource", {
    description: `Reads a resource of the MCP server ${link.name}.`,
    parameters: {
      type: "object",
      properties: { uri: { type: "string", description: "From list_resources" } },
      required: ["uri"],
    },
    run: async (args, { signal }) => {
      const uri = textArgument(args, "uri");
      if (uri === undefined) return failure("uri is missing");
      return resourceText(await (await link.connected(signal)).readResource(uri, signal));
    },
  });
}

function listPrompts(link: ServerLink): ToolDefinition {
  return helper(link, "list_prompts", {
    description: `Lists the prompts of the MCP server ${link.name}.`,
    parameters: NO_ARGUMENTS,
    run: async (_, { signal }) => {
      const found = await (await link.connected(signal)).listPrompts(signal);
      const prompts = found.slice(0, MAX_LISTED).map((prompt) => ({
        name: prompt.name,
        description: prompt.description,
        arguments: prompt.arguments,
      }));
      return JSON.stringify({ count: found.length, prompts });
    },
  });
}

function getPrompt(link: ServerLink): ToolDefinition {
  return helper(link, "get_prompt", {
    description: `Gets a prompt of the MCP server ${link.name}.`,
    parameters: {
      type: "object",
      properties: {
        name: { type: "string" },
        arguments: {
          type: "object",
          description: "Values by name",
          additionalProperties: { type: "string" },
        },
      },
      required: ["name"],
    },
    run: async (args, { signal }) => {
      const name = textArgument(args, "name");
      if (name === undefined) return failure("name is missing");
      const given = typeof args.arguments === "object" && args.arguments !== null ? args.arguments : {};
      const values = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]));
      return promptText(await (await link.connected(signal)).getPrompt(name, values, signal));
    },
  });
}
