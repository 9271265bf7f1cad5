/** What is paused or halted, and pausing a chain, a currency or a route (SAFE-9). */
import { useState } from "preact/hooks"
import { chains, pause, pauses } from "../net/Answers.ts"
import type { Chains } from "../net/Answers.ts"
import { call, callApi } from "../net/Call.ts"
import { formatTime } from "../parts/Amounts.ts"
import { Action, Choice, Field, Form, Heading, Outcome, Section, Show, Table, useLoaded } from "../parts/Parts.tsx"

const kinds = [["chain", "a chain"], ["currency", "a currency"], ["route", "a route"]] as const

const NewPause = ({ known, done }: {
  readonly known: Chains
  readonly done: (outcome: string) => Promise<void>
}) => {
  const first = String(known.chains[0]?.id ?? "")
  const [kind, setKind] = useState("chain")
  const [chain, setChain] = useState(first)
  const [to, setTo] = useState(first)
  const [currency, setCurrency] = useState("")
  const [reason, setReason] = useState("")
  const options = known.chains.map(({ displayName, id }) => [String(id), displayName] as const)
  const currencies = known.chains.filter(({ id }) => String(id) === chain).flatMap((
    { currency, solverCurrencies }
  ) => [...new Map([currency, ...solverCurrencies].map((each) => [each.address, each.symbol]))])
  const chosen = currencies.some(([address]) => address === currency) ? currency : currencies[0]?.[0] ?? ""
  const why = reason === "" ? {} : { reason }
  const bodies = new Map<string, object>([
    ["chain", { kind: "chain", chainId: Number(chain), ...why }],
    ["currency", { kind: "currency", chainId: Number(chain), currency: chosen, ...why }],
    ["route", { kind: "route", originChainId: Number(chain), destinationChainId: Number(to), ...why }]
  ])
  const send = async () => {
    const { id } = await callApi(pause, "POST", "admin/pauses", { body: bodies.get(kind) })
    setReason("")
    await done(`Paused ${id}.`)
  }
  return (
    <Form run={send} submit="Pause now">
      <div class="grid">
        <Choice label="Pause" value={kind} change={setKind} options={kinds} />
        <Choice label={kind === "route" ? "From" : "Chain"} value={chain} change={setChain} options={options} />
        {kind === "currency"
          ? <Choice label="Currency" value={chosen} change={setCurrency} options={currencies} />
          : null}
        {kind === "route" ? <Choice label="To" value={to} change={setTo} options={options} /> : null}
        <Field label="Reason" value={reason} change={setReason} hint="for other operators; users never see it" />
      </div>
    </Form>
  )
}

export const PausesPage = () => {
  const loaded = useLoaded("pauses", async () => ({
    found: (await callApi(pauses, "GET", "admin/pauses")).pauses,
    known: await call(chains, "GET", "chains")
  }))
  const [outcome, setOutcome] = useState<string>()
  const changed = async (said: string) => {
    await loaded.reload()
    setOutcome(said)
  }
  const resume = async (id: string) => {
    await callApi(pauses, "DELETE", `admin/pauses/${encodeURIComponent(id)}`)
    await changed(`Resumed ${id}.`)
  }
  return (
    <>
      <Heading>Pauses</Heading>
      <Outcome text={outcome} />
      <Show loaded={loaded}>
        {({ found, known }) => (
          <>
            <Section title="Paused now">
              <Table
                caption="What is paused, and which chains are halted"
                columns={["What", "Kind", "Reason", "Since", "Actions"]}
                empty="Nothing is paused."
                rows={found.map(({ createdAt, id, kind, reason }) => ({
                  key: id,
                  cells: [
                    <code>{id}</code>,
                    kind,
                    reason,
                    <span class="when">{formatTime(createdAt)}</span>,
                    <Action run={() => resume(id)} confirm={`Resume ${id}?`} label={`Resume ${id}`}>Resume</Action>
                  ]
                }))}
              />
            </Section>
            <Section title="Pause">
              <p class="soft">
                New quotes are refused at once, in every process. Transfers that were quoted go on.
              </p>
              <NewPause known={known} done={changed} />
            </Section>
          </>
        )}
      </Show>
    </>
  )
}
