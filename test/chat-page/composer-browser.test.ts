import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.js";
import { LossyLink } from "../support/lossy-link.js";
import { PNG } from "../support/pictures.js";
import { asked, FILE_BYTES, openPage as openAt, useChat } from "./support/chat.js";
import { answers, composer, live, openContext, openTab, questions, sees, write } from "./support/page.js";

/** What people write and send, in a real browser at the real daemon. */
const browser = useBrowser();
const chat = useChat();

const openPage = (): Promise<Page> => openAt(browser(), chat());

describe("the composer", () => {
  it("keeps a draft for each conversation, over reloads", async () => {
    const context = await openContext(browser(), chat().daemon.url);
    const id = await asked(context, "About marmots");
    const page = await openTab(context);
    await composer(page).fill("for the new one");
    await page.getByRole("link", { name: "About marmots" }).click();
    await sees(page, "You said: About marmots");
    expect(await composer(page).inputValue()).toBe("");
    await composer(page).fill("for the marmots");
    await page.goto("/");
    await expect.poll(() => composer(page).inputValue()).toBe("for the new one");
    await page.goto(`/c/${id}`);
    await expect.poll(() => composer(page).inputValue()).toBe("for the marmots");
  });

  it("recalls what was written with arrow-up", async () => {
    const page = await openPage();
    for (const text of ["First", "Second"]) {
      await write(page, text);
      await sees(page, `You said: ${text}`);
    }
    await composer(page).press("ArrowUp");
    expect(await composer(page).inputValue()).toBe("Second");
    await composer(page).press("ArrowUp");
    expect(await composer(page).inputValue()).toBe("First");
    await composer(page).press("ArrowDown");
    await composer(page).press("ArrowDown");
    expect(await composer(page).inputValue()).toBe("");
  });

  it("completes commands, whose replies are shown", async () => {
    const page = await openPage();
    await composer(page).fill("/stat");
    await expect.poll(() => page.locator("#completion [role=option]").count()).toBe(1);
    await composer(page).press("Enter");
    expect(await composer(page).inputValue()).toBe("/status");
    await composer(page).press("Enter");
    await page.locator(".message.gateway[data-kind=command]").waitFor();
    await expect.poll(() => questions(page).locator(".bubble").allInnerTexts()).toEqual(["/status"]);
    await expect.poll(() => page.locator(".queued").count()).toBe(0);
  });

  it("sends what was written without a connection as soon as there is one, once", async () => {
    const link = await LossyLink.to(chat().daemon.url);
    const page = await openTab(await openContext(browser(), link.url));
    await live(page);
    await write(page, "Hello");
    await sees(page, "You said: Hello");
    link.goDown();
    await write(page, "Keep this");
    await page.locator(".unsent", { hasText: "Keep this" }).waitFor();
    link.comeBack();
    await page.reload();
    await sees(page, "You said: Keep this");
    await expect.poll(() => page.locator(".unsent").count()).toBe(0);
    await expect.poll(() => questions(page).count()).toBe(2);
    await expect.poll(() => answers(page).count()).toBe(2);
  });

  it("keeps a refused text and says why", async () => {
    const page = await openPage();
    // As another version of the page, with a larger limit, would have left it.
    const conversationId = randomUUID();
    const text = "x".repeat(100_001);
    const unsent = [{ conversationId, clientId: randomUUID(), text, files: [], at: 1 }];
    await page.evaluate(
      `localStorage.setItem("hermes.unsent-messages", ${JSON.stringify(JSON.stringify(unsent))})`,
    );
    await page.goto(`/c/${conversationId}`);
    await page.getByText(/^Not sent: /).waitFor();
    await page.locator(".unsent").getByRole("button", { name: "Edit" }).click();
    expect(await composer(page).inputValue()).toBe(text);
    await expect.poll(() => page.locator(".unsent").count()).toBe(0);
  });

  it("keeps the files of a refused message when it is edited", async () => {
    const page = await openPage();
    const conversationId = randomUUID();
    const uploads = [];
    for (const [name, buffer] of [
      ["notes.txt", Buffer.from("my notes")],
      ["dot.png", PNG],
    ] as const) {
      const sent = await page.request.post(`/api/web/files?name=${name}`, {
        data: buffer,
        headers: { "content-type": name.endsWith("png") ? "image/png" : "text/plain" },
      });
      expect(sent.status(), await sent.text()).toBe(201);
      uploads.push(await sent.json());
    }
    const unsent = [
      {
        ...{ conversationId, clientId: randomUUID(), text: "Look at these", files: uploads, at: 1 },
        fault: "the server said no",
      },
    ];
    const drafts = { [conversationId]: "half a sentence" };
    await page.evaluate(
      `localStorage.setItem("hermes.unsent-messages", ${JSON.stringify(JSON.stringify(unsent))});` +
        `localStorage.setItem("hermes.drafts", ${JSON.stringify(JSON.stringify(drafts))})`,
    );
    await page.goto(`/c/${conversationId}`);
    await page.locator(".unsent").getByRole("button", { name: "Edit" }).click();
    expect(await composer(page).inputValue()).toBe("Look at these\n\nhalf a sentence");
    const attached = page.locator(".attachment[data-state=done]");
    await expect.poll(() => attached.locator(".file-name").allInnerTexts()).toEqual(["notes.txt", "dot.png"]);
    await expect.poll(() => page.locator(".unsent").count()).toBe(0);
    await composer(page).fill("Look at both");
    await composer(page).press("Enter");
    const card = questions(page).getByRole("link", { name: /notes.txt/ });
    const saved = await page.request.get((await card.getAttribute("href"))!);
    expect(await saved.text()).toBe("my notes");
    await expect.poll(() => questions(page).locator(".picture img").count()).toBe(1);
    expect(await questions(page).locator(".bubble").textContent()).toBe("Look at both");
  });

  it("keeps a text that is too long, and sends it as a file", async () => {
    const page = await openPage();
    const long = "word ".repeat(20_001);
    await composer(page).fill(long);
    await page.getByText("4 characters too long for one message.").waitFor();
    await composer(page).press("Enter");
    expect(await composer(page).inputValue()).toBe(long);
    await page.getByRole("button", { name: "attach it as a file" }).click();
    await page.locator(".attachment[data-state=done]").waitFor();
    await composer(page).press("Enter");
    const card = questions(page).getByRole("link", { name: /message.txt/ });
    const saved = await page.request.get((await card.getAttribute("href"))!);
    expect(await saved.text()).toBe(long);
  });

  it("picks a model", async () => {
    const page = await openPage();
    await page.getByLabel("Model").selectOption("small");
    await write(page, "Hello");
    await page.locator(".usage", { hasText: "small" }).waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel("Model").inputValue()).toBe("small");
  });
});

describe("files", () => {
  const png = { name: "cat.png", mimeType: "image/png", buffer: PNG };

  it("are chosen, shown while they are sent, and part of the message", async () => {
    const page = await openPage();
    await page.getByLabel("Files", { exact: true }).setInputFiles([png]);
    await page.locator(".attachment[data-state=done]").waitFor();
    await write(page, "What is this?");
    const picture = questions(page).getByRole("img", { name: "cat.png" });
    await picture.waitFor();
    await expect.poll(() => page.locator(".attachment").count()).toBe(0);
    await expect
      .poll(() => picture.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1);
    await page.locator(".live").waitFor({ state: "detached" });
    await page.reload();
    await picture.waitFor();
  });

  it("are dropped and pasted", async () => {
    const page = await openPage();
    const bring = (kind: "drop" | "paste") =>
      page.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File(["hello"], "${kind}.txt", { type: "text/plain" }));
        const target = document.getElementById("message");
        const event = "${kind}" === "drop"
          ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
        target.dispatchEvent(event);
      })()`);
    await bring("drop");
    await bring("paste");
    await expect.poll(() => page.locator(".attachment[data-state=done]").count()).toBe(2);
    await page.getByRole("button", { name: "Remove drop.txt" }).click();
    await composer(page).press("Enter");
    await questions(page)
      .getByRole("link", { name: /paste.txt/ })
      .waitFor();
    expect(
      await questions(page)
        .getByRole("link", { name: /drop.txt/ })
        .count(),
    ).toBe(0);
  });

  it("that are too large or too many are named, and keep the message from being sent", async () => {
    const page = await openPage();
    const large = {
      ...{ name: "large.bin", mimeType: "application/octet-stream" },
      buffer: Buffer.alloc(FILE_BYTES + 1),
    };
    await page.getByLabel("Files", { exact: true }).setInputFiles([large]);
    await page.getByText("Larger than 200 KB").waitFor();
    await composer(page).fill("Here it is");
    await composer(page).press("Enter");
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Remove large.bin" }).click();
    const many = Array.from({ length: 11 }, (_, i) => ({ ...png, name: `${i}.png` }));
    await page.getByLabel("Files", { exact: true }).setInputFiles(many);
    await page.getByText("A message can have 10 files.").waitFor();
    await expect.poll(() => questions(page).count()).toBe(0);
  });
});
