/** Tools, who may use them where, and remembered approvals. */
import type { Hono } from "hono";
import { z } from "zod";
import { HermesError } from "../../errors.js";
import { serverOf } from "../../mcp/manager.js";
import { ACCESS_RULES, personIn, talkAccess, toolFacts } from "../../people/rights.js";
import { defaultRule, rulesAbout } from "../../policies/tool-access.js";
import type { ToolGrant } from "../../store/queues.js";
import type { ListedTool } from "../../tools/registry.js";
import { bodyOf, paramsOf, text } from "../params.js";
import { deciderName, gone, operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";
import { personShape } from "./people.js";
import type { PeopleSource } from "./people-source.js";
import type { ExplainAnswer, GrantsAnswer, ShownGrant, ShownTool, ToolsAnswer } from "./tools-types.js";

const MAX_DESCRIPTION = 600;

export function toolRoutes(api: Hono, options: DashboardOptions, people: PeopleSource): void {
  const { tools, store, loaded } = options;
  const { config } = loaded;

  api.get("/tools", async (c) => {
    const listed = await tools.listed();
    const answer = { tools: listed.map((one) => shownTool(one, options)), problems: tools.problems() };
    return c.json(answer satisfies ToolsAnswer);
  });

  /** Like `hermes explain tools`, including the tools of connected MCP servers. */
  api.get("/tools/explain", async (c) => {
    const { room = "dm", ...person } = paramsOf(c, { ...personShape, room: text(500) });
    const chatPerson = personIn(person, room, config);
    const { isPaired } = await store.pairingState(person.platform, [person.userId]);
    const access = talkAccess(chatPerson, config, isPaired);
    const { principal, chatId } = chatPerson;
    const { platform } = principal;
    const context = { principal, platform, room: chatId === null ? undefined : { platform, chatId } };
    const facts = toolFacts(chatPerson, access, await tools.explained(context));
    const because = ACCESS_RULES[access.allow ? access.because : access.reason];
    return c.json({
      ...facts,
      name: (await people.find(person))?.names[0] ?? null,
      because,
    } satisfies ExplainAnswer);
  });

  grantRoutes(api, options, people);
}

function shownTool({ tool, from, sets, unavailable }: ListedTool, { loaded }: DashboardOptions): ShownTool {
  const { name, description, toolset, effect } = tool;
  const { allow = [], ask = "never" } = defaultRule(tool);
  return {
    ...{ name, toolset, sets, effect },
    description: description.slice(0, MAX_DESCRIPTION),
    from: typeof from === "string" ? { kind: from } : { kind: "MCP server", server: serverOf(from.source) },
    default: { allow, ask },
    rules: rulesAbout(tool, sets, loaded.config.tools),
    unavailable: unavailable ?? null,
  };
}

function grantRoutes(api: Hono, options: DashboardOptions, people: PeopleSource): void {
  const { store } = options;
  const note = operatorLog(options);

  api.get("/tools/grants", async (c) => {
    const grants = await store.grants();
    return c.json({ grants: await Promise.all(grants.map(named)) } satisfies GrantsAnswer);
  });

  async function named({ tool, to, grantedBy, at, names }: ToolGrant): Promise<ShownGrant> {
    const [platform = "", ...id] = grantedBy.split(":");
    const granter = { platform, userId: id.join(":") };
    const by = {
      name: deciderName(granter) ?? (await people.nameOf(granter, names?.grantedBy ?? null)),
      id: grantedBy,
    };
    if ("person" in to) {
      const name = await people.nameOf(to.person, names?.person ?? null);
      return { tool, person: { ...to.person, name }, by, at };
    }
    const title = (await store.getSession(to.sessionId))?.title ?? null;
    return { tool, session: { id: to.sessionId, title }, by, at };
  }

  api.post("/tools/grants/revoke", async (c) => {
    const { tool, person, sessionId } = await bodyOf(c, {
      tool: z.string().min(1).max(200),
      person: z.object(personShape).optional(),
      sessionId: z.string().min(1).max(200).optional(),
    });
    const to = person ? { person } : sessionId === undefined ? undefined : { sessionId };
    if (!to) throw new HermesError("invalid", "Set person or sessionId");
    if (!(await store.setGrant(to, tool, null))) throw gone("That approval is not remembered any more.");
    await note(c, "tools/grants/revoke", { tool, ...to });
    return c.json({ revoked: tool });
  });
}
