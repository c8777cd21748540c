/** Asks a service for its models: proves the address and most keys before a model is chosen. Costs no tokens. */
import { modelNames, requestModels } from "../../agents/list-models.js";
import type { ModelEndpoint } from "../../agents/model/endpoint.js";
import type { ModelFinding } from "../../agents/probe.js";
import { unreachableReason } from "../../agents/unreachable.js";
import { found } from "../../finding.js";
import { withoutTrailing } from "../../trailing.js";

const LIST_MS = 10_000;
const MAX_NAMES = 2000;

export interface Listed {
  names: string[];
  /** The given address, or the one with `/v1` if the list is there. */
  baseUrl: string | null;
  /** What has to be fixed before any model can answer. */
  problem?: ModelFinding;
}

export async function listModels(service: ModelEndpoint): Promise<Listed> {
  const { base_url: baseUrl } = service;
  try {
    const names = await namesFrom(service);
    if (names.length > 0 || baseUrl === null || /\/v\d/.test(baseUrl)) return { names, baseUrl };
    const withVersion = `${withoutTrailing(baseUrl, "/")}/v1`;
    const there = await namesFrom({ ...service, base_url: withVersion });
    return there.length > 0 ? { names: there, baseUrl: withVersion } : { names, baseUrl };
  } catch (error) {
    return { names: [], baseUrl, problem: explain(error, baseUrl) };
  }
}

class KeyRejected extends Error {}

/** Empty if the service lists none; whether a model answers is tried later. */
async function namesFrom(service: ModelEndpoint): Promise<string[]> {
  const answer = await requestModels(service, AbortSignal.timeout(LIST_MS));
  if (!answer) return [];
  if (answer.ok) return await readNames(answer);
  await answer.body?.cancel();
  // 403: the key may allow completions but not listing models.
  if (answer.status === 401) throw new KeyRejected();
  return [];
}

async function readNames(answer: Response): Promise<string[]> {
  try {
    return (await modelNames(answer)).toSorted().slice(0, MAX_NAMES);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return []; // not a list
    throw error;
  }
}

function explain(error: unknown, baseUrl: string | null): ModelFinding {
  if (error instanceof KeyRejected)
    return { ...found.fail("The service rejected the key (HTTP 401)."), problem: "key" };
  const where = baseUrl ?? "The service";
  const reason = unreachableReason(error) ?? "the connection broke";
  return { ...found.fail(`${where} can't be reached: ${reason}.`), problem: "address" };
}
