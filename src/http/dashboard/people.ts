/** People: their names and roles, and how they sign in to the web chat. */
import type { Hono } from "hono";
import { z } from "zod";
import { HermesError } from "../../errors.js";
import type { Person } from "../../message.js";
import { unknownPerson } from "../../people/person.js";
import { roles } from "../../people/rights.js";
import type { ListedPerson } from "../../people/types.js";
import { isOwner } from "../../policies/access.js";
import { OPERATOR, WEB, webPersonOf } from "../../policies/web-person.js";
import { LINK_MINUTES, loginPath, newLoginCode, type WebLogin } from "../../sessions/web-login.js";
import { inSlices } from "../../slices.js";
import { bodyOf, paramsOf, text, whole } from "../params.js";
import {
  MAX_CHARS,
  MIN_CHARS,
  passwordNames,
  passwordOf,
  removePassword,
  setPassword,
} from "../web/passwords.js";
import { devicesOf, signOut } from "../web/people.js";
import { PERSON } from "../web/visitor.js";
import { gone, operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";
import type { PeopleSource } from "./people-source.js";
import type { LinkAnswer, PeopleAnswer, PersonAnswer, ShownPerson, SignInsAnswer } from "./people-types.js";

const PAGE_SIZE = 50;

/** A person in bodies and queries. */
export const personShape = { platform: z.string().min(1).max(100), userId: z.string().min(1).max(500) };

export function peopleRoutes(api: Hono, options: DashboardOptions, source: PeopleSource): void {
  const { config } = options.loaded;
  const roleOf = roles(config);
  const shown = (person: ListedPerson): ShownPerson => ({
    ...person,
    role: roleOf(person, person.pairing),
  });

  api.get("/people", async (c) => {
    const query = paramsOf(c, {
      ...{ q: text(200), platform: text(100), offset: whole },
      role: z.enum(["owner", "paired", "allowed", "waiting", "stranger"]).optional(),
      notes: z.literal("yes").optional(),
    });
    const { platform, role, notes, offset = 0 } = query;
    const q = query.q?.toLowerCase();
    const matches = (one: ListedPerson) =>
      (platform === undefined || one.platform === platform) &&
      (notes === undefined || one.memory) &&
      (q === undefined || hasName(one, q)) &&
      (role === undefined || shown(one).role.kind === role);
    const slices = await inSlices(await source.list(), (one) => (matches(one) ? [one] : []));
    const people = slices.flat();
    const next = offset + PAGE_SIZE < people.length ? offset + PAGE_SIZE : null;
    const page = people.slice(offset, offset + PAGE_SIZE).map(shown);
    return c.json({ people: page, total: people.length, next } satisfies PeopleAnswer);
  });

  api.get("/people/one", async (c) => {
    const person = paramsOf(c, personShape);
    const listed = await source.find(person);
    if (!listed) throw unknownPerson(person);
    return c.json({ person: shown(listed), web: await webOf(options, person) } satisfies PersonAnswer);
  });

  signInRoutes(api, options, source);
}

function hasName({ person, names }: ListedPerson, q: string): boolean {
  return [person, ...names].some((name) => name.toLowerCase().includes(q));
}

/** The person's id in the web chat. People who sign in from other platforms have a separate id. */
function webIdOf({ platform, userId }: Person): string {
  return platform === WEB ? userId : webPersonOf(`${platform}:${userId}`);
}

async function webOf({ store, web }: DashboardOptions, person: Person): Promise<PersonAnswer["web"]> {
  if (!web) return null;
  const id = webIdOf(person);
  const devices = await devicesOf({ store }, { id, signedIn: true, deviceId: null });
  return {
    devices: devices.map(({ current: _, ...device }) => device),
    passwordName: (await passwordOf({ store }, id)) ?? null,
    canLink: person.platform !== WEB || (await isKnown(store, id)),
  };
}

/** A browser that never signed in has no person to make a login link for. */
async function isKnown(store: DashboardOptions["store"], id: string): Promise<boolean> {
  const known = await store.listRecords({ platform: WEB, kind: PERSON, id });
  return id === OPERATOR || known.length > 0;
}

function signInRoutes(api: Hono, options: DashboardOptions, source: PeopleSource): void {
  const { store, web, loaded } = options;
  const note = operatorLog(options);
  const requireWeb = () => {
    if (web) return web;
    throw new HermesError("refused", "The web chat is turned off.", {
      hint: `Turn it on under Config: platforms.${WEB}.enabled.`,
    });
  };

  api.get("/people/sign-ins", async (c) => {
    const names = web ? await passwordNames({ store }) : null;
    return c.json({ names, minChars: MIN_CHARS, maxChars: MAX_CHARS } satisfies SignInsAnswer);
  });

  /** Without a person: a link for the operator. */
  api.post("/people/login-link", async (c) => {
    requireWeb();
    const { person } = await bodyOf(c, { person: z.object(personShape).optional() });
    const login = person ? await loginOf(person) : { person: OPERATOR, name: null, owner: true };
    const code = await newLoginCode(store, login);
    await note(c, "people/login-link", { person: person ?? "operator" });
    return c.json({ path: loginPath(code), minutes: LINK_MINUTES } satisfies LinkAnswer);
  });

  async function loginOf(person: Person): Promise<WebLogin> {
    const id = webIdOf(person);
    const listed = await source.find(person);
    if (!listed || (person.platform === WEB && !(await isKnown(store, id)))) throw unknownPerson(person);
    const owner = isOwner(person, loaded.config.owners);
    return { person: id, name: person.platform === WEB ? null : (listed.names[0] ?? null), owner };
  }

  api.post("/people/password", async (c) => {
    const { live } = requireWeb();
    const { name, password } = await bodyOf(c, {
      name: z.string().min(1).max(100),
      password: z.string().min(MIN_CHARS).max(MAX_CHARS),
    });
    live.cut(await setPassword({ store }, name, password));
    await note(c, "people/password", { name });
    return c.json({ set: name });
  });

  api.post("/people/password/remove", async (c) => {
    const { name } = await bodyOf(c, { name: z.string().min(1).max(100) });
    const person = await removePassword({ store }, name);
    web?.live.cut(person);
    await note(c, "people/password/remove", { name });
    return c.json({ removed: name });
  });

  api.post("/people/devices/revoke", async (c) => {
    const { device: deviceId, ...person } = await bodyOf(c, {
      ...personShape,
      device: z.string().min(1).max(200),
    });
    const id = webIdOf(person);
    const devices = await devicesOf({ store }, { id, signedIn: true, deviceId: null });
    const device = devices.find((one) => one.id === deviceId);
    if (!device) throw gone("That device is not signed in any more.");
    await signOut({ store, adapter: requireWeb() }, { id }, deviceId);
    await note(c, "people/devices/revoke", { ...person, device: device.label });
    return c.json({ revoked: deviceId });
  });
}
