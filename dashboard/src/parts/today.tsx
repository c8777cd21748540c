/** Today's answer times, errors and cost, by platform and by model. */
import type { Overview, TurnFigures } from "../../../src/http/dashboard/types.js";
import { counted, duration, money, number, platformName, short } from "../format.js";

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
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col" class="number">
                    Turns
                  </th>
                  <th scope="col" class="number">
                    p50
                  </th>
                  <th scope="col" class="number">
                    p95
                  </th>
                  <th scope="col" class="number">
                    Errors
                  </th>
                  <th scope="col" class="number">
                    Cost
                  </th>
                </tr>
              </thead>
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
      <Sum label="Half of the answers within" value={seconds(p50)} />
      <Sum label="95% within" value={seconds(p95)} />
      <Sum label="Errors" value={`${share(total)} of ${counted(total.turns, "turn")}`} />
      <Sum label="Cost" value={`${money(total.costUsd)}, ${short(total.tokens)} tokens`} />
    </dl>
  );
}

function Sum({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
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
