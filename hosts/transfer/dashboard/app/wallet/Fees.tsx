/** App fees of a wallet: what it can claim, what sponsors owe it, and what it owes as a sponsor. */
import { useState } from "preact/hooks"
import { balance, chains } from "../net/Answers.ts"
import type { Amount } from "../net/Answers.ts"
import { call } from "../net/Call.ts"
import { formatDollars } from "../parts/Amounts.ts"
import { Heading, Outcome, Section, Show, Table, useLoaded } from "../parts/Parts.tsx"
import { PayoutForm } from "./PayoutForm.tsx"

const amountRow = ({ amountFormatted, amountUsd, currency }: Amount, chain: string) => ({
  key: `${currency.chainId} ${currency.address}`,
  cells: [
    currency.symbol,
    chain,
    <span class="number">{amountFormatted}</span>,
    <span class="number">{formatDollars(amountUsd)}</span>
  ]
})

export const FeesPage = ({ wallet }: { readonly wallet: string }) => {
  const [version, setVersion] = useState(0)
  const loaded = useLoaded(
    `${wallet} ${version}`,
    async () => ({
      has: await call(balance, "GET", `app-fees/${wallet}/balances`),
      known: await call(chains, "GET", "chains")
    })
  )
  const [outcome, setOutcome] = useState<string>()
  const asked = (said: string) => {
    setOutcome(said)
    setVersion((before) => before + 1)
  }
  return (
    <>
      <Heading>App fees</Heading>
      <Outcome text={outcome} />
      <Show loaded={loaded}>
        {({ has, known }) => {
          const nameOf = (chainId: number) => known.chains.find(({ id }) => id === chainId)?.displayName ?? `${chainId}`
          const columns = ["Currency", "Chain", "Amount", "Worth"]
          return (
            <>
              <Section title="To claim">
                <Table
                  caption="App fees that this wallet can claim now"
                  columns={columns}
                  empty="There are no app fees to claim. Quotes with appFees that name this wallet earn them."
                  rows={has.claimable.map((each) => amountRow(each, nameOf(each.currency.chainId)))}
                />
                {has.claimable.map((each) => (
                  <PayoutForm
                    key={`${each.currency.chainId} ${each.currency.address} ${each.amount}`}
                    kind="claim"
                    known={known}
                    wallet={wallet}
                    currency={each.currency}
                    most={each.amountFormatted}
                    done={asked}
                  />
                ))}
              </Section>
              <Section title="Owed to this wallet">
                <Table
                  caption="App fees that sponsors took over and have not paid"
                  columns={columns}
                  empty="No sponsor owes this wallet anything."
                  rows={has.pending.map((each) => amountRow(each, nameOf(each.currency.chainId)))}
                />
              </Section>
              <Section title="Owed by this wallet">
                <Table
                  caption="App fees that this wallet took over as a sponsor"
                  columns={[...columns, "To"]}
                  empty="This wallet owes nobody anything."
                  rows={has.owed.map((each) => {
                    const { cells, key } = amountRow(each, nameOf(each.currency.chainId))
                    return { key: `${key} ${each.recipient}`, cells: [...cells, <code>{each.recipient}</code>] }
                  })}
                />
                {has.owed.map((each) => (
                  <PayoutForm
                    key={`${each.currency.chainId} ${each.currency.address} ${each.recipient} ${each.amount}`}
                    kind="settle"
                    known={known}
                    wallet={wallet}
                    currency={each.currency}
                    most={each.amountFormatted}
                    recipient={each.recipient}
                    done={asked}
                  />
                ))}
              </Section>
            </>
          )
        }}
      </Show>
    </>
  )
}
