/** Today's answer times, errors and cost, by platform and by model. */
import type { Overview, TurnFigures } from "../../../src/http/dashboard/types.js";
import { counted, duration, money, number, platformName, short } from "../format.js";
import { Fact } from "./facts.js";
import { TableHead } from "./table-head.js";

type Figures = TurnFigures["total"];

export function Today({ today }: { today: Overview["today"] }) {
  const { total, platforms, models } = today;
  return (
    <section class="card" aria-labelledby="today">
      <div class="card-head">
        <h2 id="today">Today</h2>
        <p class="quiet">from the receipt of a message to its answer</p>
      </div>
      {total.turns === 0 && total.costUsd === 0 ? (
        <p class="quiet">No turn has ended yet.</p>
      ) : (
        <>
          <Sums total={total} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
          <section class="scroll" tabIndex={0} aria-label="Today by platform and model">
            <table>
              <TableHead numbers={["Turns", "p50", "p95", "Errors", "Cost"]} />
              <Rows label="Platforms" rows={platforms} nameOf={platformName} />
              <Rows label="Models" rows={models} nameOf={(name) => name} />
            </table>
          </section>
        </>
      )}
    </section>
  );
}

function Sums({ total }: { total: Figures }) {
  const { p50, p95 } = total.answerSeconds;
  return (
    <dl class="today-sums">
      <Fact name="Half of the answers within">{seconds(p50)}</Fact>
      <Fact name="95% within">{seconds(p95)}</Fact>
      <Fact name="Errors">
        {share(total)} of {counted(total.turns, "turn")}
      </Fact>
      <Fact name="Cost">
        {money(total.costUsd)}, {short(total.tokens)} tokens
      </Fact>
    </dl>
  );
}

interface RowsProps {
  label: string;
  rows: TurnFigures["platforms"];
  nameOf(name: string): string;
}

function Rows({ label, rows, nameOf }: RowsProps) {
  return (
    <tbody>
      <tr class="today-group">
        <th scope="rowgroup" colSpan={6}>
          {label}
        </th>
      </tr>
      {rows.map((row) => (
        <tr key={row.name} data-figures={row.name}>
          <th scope="row">
            <span class="today-name">{row.name === "" ? "Unknown" : nameOf(row.name)}</span>
          </th>
          <td class="number">{number(row.turns)}</td>
          <td class="number">{seconds(row.answerSeconds.p50)}</td>
          <td class="number">{seconds(row.answerSeconds.p95)}</td>
          <td class="number">{share(row)}</td>
          <td class="number">{money(row.costUsd)}</td>
        </tr>
      ))}
    </tbody>
  );
}

const seconds = (value: number | null) => (value === null ? "–" : duration(value));

function share({ turns, failed }: Figures): string {
  if (turns === 0) return "–";
  const percent = (100 * failed) / turns;
  return `${percent > 0 && percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`;
}
