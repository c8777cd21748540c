import { describe, expect, it } from "vitest";
import { TestGateway } from "../support/gateway.js";
import { inGroup } from "../support/test-adapter.js";

const ann = inGroup("ann");

/** A home whose gateway crashed in a turn of three messages, with a preview whose id is unknown. */
async function diedShowing(): Promise<TestGateway> {
  const gateway = await TestGateway.start();
  for (const text of ["one", "two", "three"]) await gateway.ask(ann, text);
  await gateway.stop();
  gateway.change("DELETE FROM gw_outbox");
  gateway.change(
    "UPDATE gw_inbox SET state = 'running', boot_id = 'dead', turn_id = 'cut off', attempts = 1, finished_at = NULL",
  );
  gateway.change("INSERT INTO gw_previews (inbox_id, message_id) SELECT min(id), '' FROM gw_inbox");
  return gateway;
}

const answers = (gateway: TestGateway) =>
  gateway
    .read<{ text: string; lost: number }>(
      "SELECT text, lost_preview_of IS NOT NULL AS lost FROM gw_outbox WHERE kind = 'answer' ORDER BY id",
    )
    .map(({ text, lost }) => ({ text: text.split("\n").slice(-3).join(" "), lost: lost === 1 }));

describe("a turn of several messages that crashed during its preview", () => {
  it("is rebuilt after the restart, and its answer is marked as a possible repeat", async () => {
    const { home } = await diedShowing();
    const gateway = await TestGateway.start({ home });
    await gateway.idle();
    expect(answers(gateway)).toEqual([{ text: expect.stringMatching(/one.*two.*three$/), lost: true }]);
  });

  it("is marked even if its first message was deleted meanwhile", async () => {
    const died = await diedShowing();
    died.change("UPDATE gw_inbox SET state = 'cancelled' WHERE id = (SELECT min(id) FROM gw_inbox)");
    const gateway = await TestGateway.start({ home: died.home });
    await gateway.idle();
    expect(answers(gateway)).toEqual([{ text: expect.stringMatching(/two.*three$/), lost: true }]);
  });
});
