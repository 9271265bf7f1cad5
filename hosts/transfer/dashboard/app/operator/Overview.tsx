/** An operator's first view: alarms, chains with their checks, and requests that are stuck. */
import { useState } from "preact/hooks"
import { losses, overview, pauses, ready, retried } from "../net/Answers.ts"
import { call, callApi } from "../net/Call.ts"
import { formatTime, shorten } from "../parts/Amounts.ts"
import { Action, Heading, Outcome, Section, Show, State, Table, useLoaded } from "../parts/Parts.tsx"

const look = async () => ({
  ready: await call(ready, "GET", "ready"),
  overview: await callApi(overview, "GET", "admin/overview"),
  pauses: (await callApi(pauses, "GET", "admin/pauses")).pauses,
  losses: (await callApi(losses, "GET", "admin/losses")).losses
})

type Seen = Awaited<ReturnType<typeof look>>

/** Everything that needs an operator, in words. */
const alarmsOf = ({ losses, overview: { held, inventory, refundsHeld, stuck }, pauses, ready }: Seen) => [
  ...ready.problems,
  ...ready.chains.flatMap(({ warnings }) => warnings),
  ...pauses.filter(({ kind }) => kind === "halt").map(({ id, reason }) => `${id}: ${reason}`),
  ...inventory.filter(({ low }) => low).map(({ chain, holding, symbol }) =>
    `${symbol} on ${chain} (${holding}) is low`
  ),
  ...inventory.filter(({ amount }) => amount === null).map(({ chain }) => `${chain} does not tell what is held there`),
  ...(stuck.length === 0 ? [] : [stuck.length === 1 ? "a request is stuck" : `${stuck.length} requests are stuck`]),
  ...(refundsHeld.length === 0
    ? []
    : [`refunds that wait for room under UNATTESTED_REFUNDS_USD: ${refundsHeld.length}`]),
  ...held.map((chain) => `${chain}: nothing is paid until the payments since the restored backup are known`),
  ...losses.filter(({ recoveredAt }) => recoveredAt === null).map(({ chainId, kind }) =>
    `a ${kind} on chain ${chainId} was lost by a reorg`
  )
]

const Alarms = ({ seen }: { readonly seen: Seen }) => {
  const alarms = [...new Set(alarmsOf(seen))]
  return (
    <Section title="Alarms">
      {alarms.length === 0
        ? (
          <p>
            <State kind="good">Nothing needs you.</State>
          </p>
        )
        : (
          <ul class="alarms">
            {alarms.map((alarm) => (
              <li key={alarm}>
                <State kind="bad">{alarm}</State>
              </li>
            ))}
          </ul>
        )}
    </Section>
  )
}

const Stuck = ({ again, seen: { overview: { refundsHeld, stuck, unended } } }: {
  readonly seen: Seen
  readonly again: () => Promise<void>
}) => {
  const [outcome, setOutcome] = useState<string>()
  const retry = async (id: string) => {
    const { deposits, settlements } = await callApi(retried, "POST", `admin/requests/${id}/retry`)
    setOutcome(`Retried ${shorten(id)}: ${deposits} deposits, ${settlements} settlements.`)
    await again()
  }
  return (
    <Section title="Requests">
      <p class="soft">Requests with a deposit that have not ended: {unended}.</p>
      <Table
        caption="Requests that are longer in their state than they may be"
        columns={["Request", "Status", "Since", "Why", "Actions"]}
        empty="No request is stuck."
        rows={stuck.map(({ requestId, since, status, why }) => ({
          key: requestId,
          cells: [
            <a href={`requests/${requestId}`}>{shorten(requestId)}</a>,
            status,
            <span class="when">{formatTime(since)}</span>,
            why,
            <Action run={() => retry(requestId)} label={`Retry ${requestId}`}>Retry</Action>
          ]
        }))}
      />
      <Outcome text={outcome} />
      {refundsHeld.length === 0 ? null : (
        <Table
          caption="Refunds that UNATTESTED_REFUNDS_USD holds back"
          columns={["Request", "Deposit", "Would lose", "Since"]}
          empty=""
          rows={refundsHeld.map(({ deposit, requestId, since, usd }) => ({
            key: deposit,
            cells: [
              <a href={`requests/${requestId}`}>{shorten(requestId)}</a>,
              <code>{shorten(deposit)}</code>,
              `$${usd}`,
              formatTime(since)
            ]
          }))}
        />
      )}
    </Section>
  )
}

export const OverviewPage = () => {
  const loaded = useLoaded("overview", look)
  return (
    <>
      <Heading>Overview</Heading>
      <Show loaded={loaded}>
        {(seen) => (
          <>
            <Alarms seen={seen} />
            <Section title="Chains">
              <Table
                caption="Chains and their checks"
                columns={["Chain", "Serves", "Configuration", "Problems"]}
                empty="No chain is configured."
                rows={seen.ready.chains.map(({ configuration, id, problems, serves, warnings }) => ({
                  key: id,
                  cells: [
                    id,
                    <State kind={serves ? "good" : "bad"}>{serves ? "yes" : "no"}</State>,
                    configuration,
                    [...problems, ...warnings].join("; ") || "none"
                  ]
                }))}
              />
            </Section>
            <Stuck seen={seen} again={loaded.reload} />
            <Action run={loaded.reload}>Refresh</Action>
          </>
        )}
      </Show>
    </>
  )
}
