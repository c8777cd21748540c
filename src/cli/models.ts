/** `hermes models`: which models the configured service has, and how to choose one. */
import { Command } from "commander";
import { modelNames, requestModels } from "../agents/list-models.js";
import { KEY_NAMES } from "../agents/model/endpoint.js";
import { unreachableReason } from "../agents/unreachable.js";
import { resolveHome } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import { describeError, HermesError } from "../errors.js";
import { loadWithPlugins } from "../plugins/index.js";
import { oneLine } from "./cells.js";
import { fitted } from "./fit.js";
import { io } from "./io.js";
import { jsonOption } from "./options.js";
import { colors, print, printJson } from "./output.js";

const TIMEOUT_MS = 15_000;

export function modelsCommand(): Command {
  return new Command("models")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nChoose one for all chats with `hermes config set model.default NAME`, for one chat with /model.",
    )
    .action(list);
}

async function list({ json }: { json?: boolean }): Promise<void> {
  const { loaded } = await loadWithPlugins({ home: resolveHome(io().env), env: io().env });
  const { model } = loaded.config;
  const models = await modelsOf(model);
  if (json) return printJson({ provider: model.provider, current: model.default, models });
  for (const name of models) {
    const isCurrent = name === model.default;
    print(`${isCurrent ? colors.green("*") : " "} ${fitted(oneLine(name), 2)}`);
  }
  if (models.length === 0) print("The service lists no models.");
}

async function modelsOf(model: Config["model"]): Promise<string[]> {
  const response = await asked(model);
  if (!response)
    throw new HermesError("unavailable", "No model is configured: the echo agent repeats messages.", {
      hint: "`hermes setup` chooses one.",
    });
  if (response.ok) return (await modelNames(response)).toSorted();
  await response.body?.cancel();
  const isKey = response.status === 401 || response.status === 403;
  throw new HermesError("unavailable", `The model's service answered HTTP ${response.status}.`, {
    hint: isKey ? `Set ${KEY_NAMES[model.provider]} in .env.` : "Check model.base_url; most end in /v1.",
  });
}

async function asked(model: Config["model"]): Promise<Response | undefined> {
  try {
    return await requestModels(model, AbortSignal.timeout(TIMEOUT_MS));
  } catch (error) {
    throw new HermesError(
      "unavailable",
      `The model's service can't be reached: ${unreachableReason(error) ?? describeError(error).message}.`,
      {
        hint: "Check model.base_url with `hermes config get model.base_url`.",
        cause: error,
      },
    );
  }
}
