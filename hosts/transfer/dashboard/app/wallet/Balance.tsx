/** A wallet's app balance: what it has, its ledger, how to pay in, and how to take it back. */
import { useState } from "preact/hooks"
import { balance, chains, statement } from "../net/Answers.ts"
import type { Chains } from "../net/Answers.ts"
import { call, callApi, queryOf } from "../net/Call.ts"
import { sendTransaction, walletOf } from "../net/Wallets.ts"
import { formatDollars, formatTime, formatUnits, formatUsdc, parseUnits } from "../parts/Amounts.ts"
import { Action, Field, Form, Heading, Outcome, Section, Show, Table, useLoaded } from "../parts/Parts.tsx"
import { PayoutForm } from "./PayoutForm.tsx"

/** The call that the service credits: `transfer(solver, amount)`, then the wallet between two marks (BALANCE-2). */
const transferData = (solver: string, units: string, wallet: string): string =>
  [
    "0xa9059cbb",
    solver.slice(2).toLowerCase().padStart(64, "0"),
    BigInt(units).toString(16).padStart(64, "0"),
    "012345abcdef",
    wallet.slice(2).toLowerCase(),
    "012345abcdef"
  ].join("")

const PayIn = ({ known, paid, wallet }: {
  readonly known: Chains
  readonly wallet: string
  readonly paid: () => void
}) => {
  const [amount, setAmount] = useState("")
  const [sent, setSent] = useState<string>()
  const { chainId, solver, token } = known.settlement
  const chain = known.chains.find(({ id }) => id === chainId)
  const pay = async () => {
    const units = parseUnits(amount, 6)
    if (units === undefined || units === "0") throw new Error("an amount such as 25 or 25.5, at most six decimals")
    const from = await walletOf(wallet)
    setSent(
      await sendTransaction(from, chainId, { from: wallet, to: token, data: transferData(solver, units, wallet) })
    )
    paid()
  }
  return (
    <Section title="Pay in">
      <p>
        Send USDC on {chain?.displayName ?? `chain ${chainId}`}{" "}
        to this service. It is credited once its block is final. A plain transfer does not count: the transaction must
        name the wallet to credit, as the button's does.
      </p>
      <dl class="facts">
        <div>
          <dt>Token</dt>
          <dd>
            <code>{token}</code>
          </dd>
        </div>
        <div>
          <dt>To</dt>
          <dd>
            <code>{solver}</code>
          </dd>
        </div>
        <div>
          <dt>Data behind the call of transfer</dt>
          <dd>
            <code>012345abcdef{wallet.slice(2).toLowerCase()}012345abcdef</code>
          </dd>
        </div>
      </dl>
      <Form run={pay} submit="Pay in with this wallet">
        <Field label="USDC to pay in" value={amount} change={setAmount} mode="decimal" required />
      </Form>
      {sent === undefined ? null : (
        <p role="status">
          Sent: <code>{sent}</code>. It counts when its block is final.
        </p>
      )}
    </Section>
  )
}

const kinds: ReadonlyMap<string, string> = new Map([
  ["credit", "paid in"],
  ["hold", "held for a request"],
  ["release", "released"],
  ["capture", "sponsored a request"],
  ["accrue", "earned an app fee"],
  ["claim", "claimed app fees"],
  ["withdraw", "withdrawn"],
  ["paid", "paid out"],
  ["receivable", "took over an app fee"],
  ["settle", "paid an app fee"],
  ["returned", "payout returned"],
  ["reopened", "payout reopened by a reorg"]
])

const accounts: ReadonlyMap<string, string> = new Map([
  ["balance", "app balance"],
  ["held", "held for requests"],
  ["payout", "being paid out"],
  ["appFees", "app fees"],
  ["appFeesOwed", "app fees that it owes"],
  ["appFeesPending", "app fees owed to it"]
])

/** The wallet's ledger, newest first. */
const Ledger = ({ known, version, wallet }: {
  readonly known: Chains
  readonly wallet: string
  readonly version: number
}) => {
  const [after, setAfter] = useState<string>()
  const loaded = useLoaded(
    `${wallet} ${after ?? ""} ${version}`,
    () => callApi(statement, "GET", `app-fees/${wallet}/statement${queryOf({ limit: "25", continuation: after })}`)
  )
  const shown = (chainId: number, currency: string, amount: string) => {
    const chain = known.chains.find(({ id }) => id === chainId)
    const found = [chain?.currency, ...chain?.solverCurrencies ?? []].find((each) =>
      each?.address.toLowerCase() === currency.toLowerCase()
    )
    return found === undefined ? `${amount} of ${currency}` : `${formatUnits(amount, found.decimals)} ${found.symbol}`
  }
  return (
    <Section title="Ledger">
      <Show loaded={loaded}>
        {({ continuation, entries }) => (
          <>
            <Table
              caption="Every movement of this wallet's money, newest first"
              columns={["When", "What", "Account", "Amount"]}
              empty="Nothing has moved yet."
              rows={entries.flatMap(({ at, id, kind, postings }) =>
                postings.map(({ account, amount, chainId, currency }) => ({
                  key: `${id} ${account} ${currency}`,
                  cells: [
                    <span class="when">{formatTime(at)}</span>,
                    kinds.get(kind) ?? kind,
                    accounts.get(account) ?? account,
                    <span class="number">{shown(chainId, currency, amount)}</span>
                  ]
                }))
              )}
            />
            <p class="row">
              {after === undefined ? null : <button type="button" onClick={() => setAfter(undefined)}>Newest</button>}
              {continuation === undefined ?
                null :
                <button type="button" onClick={() => setAfter(continuation)}>Older</button>}
            </p>
          </>
        )}
      </Show>
    </Section>
  )
}

export const BalancePage = ({ wallet }: { readonly wallet: string }) => {
  const [version, setVersion] = useState(0)
  const [outcome, setOutcome] = useState<string>()
  const again = () => setVersion((before) => before + 1)
  const asked = (said: string) => {
    setOutcome(said)
    again()
  }
  const loaded = useLoaded(
    `${wallet} ${version}`,
    async () => ({
      has: await call(balance, "GET", `app-fees/${wallet}/balances`),
      known: await call(chains, "GET", "chains")
    })
  )
  return (
    <>
      <Heading>Balance</Heading>
      <Show loaded={loaded}>
        {({ has, known }) => (
          <>
            <Section title="App balance">
              <dl class="figures">
                <div>
                  <dt>App balance</dt>
                  <dd>{has.amountFormatted} {has.currency.symbol}</dd>
                </div>
                <div>
                  <dt>Available, with app fees</dt>
                  <dd>{formatDollars(has.availableBalanceUsd)}</dd>
                </div>
                <div>
                  <dt>In all</dt>
                  <dd>{formatDollars(has.totalBalanceUsd)}</dd>
                </div>
              </dl>
              <p class="soft">
                The app balance includes what is held for requests on their way. Your keys spend it on their users'
                fees.
              </p>
              <Action run={() => Promise.resolve(again())}>Refresh</Action>
            </Section>
            <PayIn known={known} wallet={wallet} paid={again} />
            <Ledger known={known} wallet={wallet} version={version} />
            <Section title="Withdraw">
              <p>What is unspent and not held can be withdrawn. Your wallet signs; the service pays the gas.</p>
              <PayoutForm
                kind="withdraw"
                known={known}
                wallet={wallet}
                currency={has.currency}
                most={formatUsdc(has.amount)}
                done={asked}
              />
              <Outcome text={outcome} />
            </Section>
          </>
        )}
      </Show>
    </>
  )
}
