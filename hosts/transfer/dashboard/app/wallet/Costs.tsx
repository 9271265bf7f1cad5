/** What the wallet's balance paid for its keys' users: plots by day, and the sums, by key, component and route. */
import { useMemo, useState } from "preact/hooks"
import { chains, costs, walletKeys } from "../net/Answers.ts"
import type { Chains, Costs, WalletKeyRow } from "../net/Answers.ts"
import { call, queryOf } from "../net/Call.ts"
import { formatUsdc } from "../parts/Amounts.ts"
import { Choice, Field, Heading, Section, Show, Table, useLoaded } from "../parts/Parts.tsx"
import { Plot } from "../parts/Plot.tsx"

type Cost = Costs["costs"][number]

/** A name and an amount (micro-USDC) for each part of a cost. */
type PartsOf = (cost: Cost) => ReadonlyArray<readonly [name: string, micros: bigint]>

const views = [["component", "Component"], ["key", "Key"], ["route", "Route"]] as const

const partsBy = (view: string, known: Chains, keys: ReadonlyArray<WalletKeyRow>): PartsOf => {
  const chainName = (id: number) => known.chains.find((each) => each.id === id)?.displayName ?? `${id}`
  if (view === "key") {
    return ({ apiKeyId, captured }) => [[
      keys.find(({ id }) => id === apiKeyId)?.label ?? apiKeyId,
      BigInt(captured)
    ]]
  }
  return view === "route"
    ? ({ captured, destinationChainId, originChainId }) => [[
      `${chainName(originChainId)} to ${chainName(destinationChainId)}`,
      BigInt(captured)
    ]]
    : ({ components }) => [...components].map(([name, micros]) => [name, BigInt(micros)] as const)
}

/** Every day from the first to the last, both included. */
const daysBetween = (from: string, to: string): ReadonlyArray<string> => {
  const days: Array<string> = []
  for (let at = Date.parse(from); at <= Date.parse(to) && days.length < 400; at += 86_400_000) {
    days.push(new Date(at).toISOString().slice(0, 10))
  }
  return days
}

const sumsOf = (all: ReadonlyArray<Cost>, parts: PartsOf): ReadonlyMap<string, ReadonlyMap<string, bigint>> => {
  const sums = new Map<string, Map<string, bigint>>()
  for (const cost of all) {
    for (const [name, micros] of parts(cost)) {
      if (micros === 0n) continue
      const days = sums.get(name) ?? new Map<string, bigint>()
      sums.set(name, days.set(cost.day, (days.get(cost.day) ?? 0n) + micros))
    }
  }
  return sums
}

const Shown = ({ keys, known, seen, view }: {
  readonly seen: Costs
  readonly known: Chains
  readonly keys: ReadonlyArray<WalletKeyRow>
  readonly view: string
}) => {
  const days = useMemo(() => daysBetween(seen.from, seen.to), [seen])
  const sums = useMemo(() => sumsOf(seen.costs, partsBy(view, known, keys)), [seen, view])
  const series = useMemo(
    () => [...sums].map(([name, of]) => ({ name, values: days.map((day) => Number(of.get(day) ?? 0n) / 1e6) })),
    [sums, days]
  )
  const requests = seen.costs.reduce((sum, each) => sum + each.requests, 0)
  return (
    <>
      <dl class="figures">
        <div>
          <dt>Paid in these days</dt>
          <dd>{formatUsdc(seen.total)} USDC</dd>
        </div>
        <div>
          <dt>Requests</dt>
          <dd>{requests}</dd>
        </div>
      </dl>
      {seen.complete
        ? null
        : <p role="status">These are the newest 5000 requests: choose fewer days for all of them.</p>}
      <Plot
        label={`Sponsored costs by day and ${view}, in USDC; the table below has the sums`}
        days={days}
        unit="USDC"
        series={series}
      />
      <Table
        caption={`Sums by ${view}`}
        columns={[views.find(([name]) => name === view)?.[1] ?? view, "USDC"]}
        empty="Nothing was sponsored in these days."
        rows={[...sums].map(([name, of]) => ({
          key: name,
          cells: [name, <span class="number">{formatUsdc(String([...of.values()].reduce((a, b) => a + b, 0n)))}</span>]
        }))}
      />
    </>
  )
}

export const CostsPage = () => {
  const [from, setFrom] = useState("")
  const [to, setTo] = useState("")
  const [view, setView] = useState("component")
  const loaded = useLoaded(`${from} ${to}`, async () => ({
    seen: await call(costs, "GET", `dashboard/costs${queryOf({ from, to })}`),
    known: await call(chains, "GET", "chains"),
    keys: (await call(walletKeys, "GET", "dashboard/keys")).keys
  }))
  return (
    <>
      <Heading>Sponsored costs</Heading>
      <Section title="What your balance paid for">
        <div class="grid">
          <Choice label="By" value={view} change={setView} options={views} />
          <Field label="From" type="date" value={from} change={setFrom} hint="30 days when left out" />
          <Field label="To" type="date" value={to} change={setTo} hint="today when left out" />
        </div>
        <Show loaded={loaded}>
          {({ keys, known, seen }) => <Shown seen={seen} known={known} keys={keys} view={view} />}
        </Show>
      </Section>
    </>
  )
}
