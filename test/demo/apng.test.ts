import { expect, it } from "vitest";
import { animated } from "../../scripts/tour/apng.js";
import { sunset } from "../../scripts/tour/sunset.js";
import { PNG } from "../support/pictures.js";

const typesIn = (picture: Buffer) => picture.toString("latin1").match(/IHDR|acTL|fcTL|IDAT|fdAT|IEND/g);

it("an animation has its first frame as a plain picture, and the others after it", () => {
  const png = sunset();
  const picture = animated([
    { png, ms: 500 },
    { png, ms: 1000 },
  ]);
  expect(typesIn(picture)).toEqual(["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"]);
  expect(picture.subarray(0, 33)).toEqual(png.subarray(0, 33));
});

it("frames of different sizes are an error", () => {
  const frames = [sunset(), PNG].map((png) => ({ png, ms: 1 }));
  expect(() => animated(frames)).toThrow("Frame 1 has another size");
});
