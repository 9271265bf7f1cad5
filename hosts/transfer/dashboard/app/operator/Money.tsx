/** What the solver holds on each chain, what of it is promised, and what is exposed to reorgs. */
import { chains, overview } from "../net/Answers.ts"
import type { Chains } from "../net/Answers.ts"
import { call, callApi } from "../net/Call.ts"
import { formatUnits } from "../parts/Amounts.ts"
import { Heading, Section, Show, State, Table, useLoaded } from "../parts/Parts.tsx"

const decimalsOf = ({ chains }: Chains, chainId: number, currency: string): number | undefined => {
  const chain = chains.find(({ id }) => id === chainId)
  return [chain?.currency, ...chain?.solverCurrencies ?? []].find((each) => each?.address === currency)?.decimals
}

export const MoneyPage = () => {
  const loaded = useLoaded("money", async () => ({
    seen: await callApi(overview, "GET", "admin/overview"),
    known: await call(chains, "GET", "chains")
  }))
  return (
    <>
      <Heading>Inventory and exposure</Heading>
      <Show loaded={loaded}>
        {({ known, seen }) => (
          <>
            <Section title="Inventory">
              <Table
                caption="What the solver holds"
                columns={["Chain", "Currency", "Holding", "Amount", "Promised", "Low water"]}
                empty="Nothing is held."
                rows={seen.inventory.map(
                  ({ amount, chain, chainId, currency, holding, low, lowWater, promised, symbol }) => {
                    const decimals = decimalsOf(known, chainId, currency)
                    const shown = (units: string | null) =>
                      units === null ? "unknown" : decimals === undefined ? units : formatUnits(units, decimals)
                    return {
                      key: `${chain} ${currency} ${holding}`,
                      cells: [
                        chain,
                        symbol,
                        holding,
                        low
                          ? <State kind="bad">{shown(amount)}, low</State>
                          : <span class="number">{shown(amount)}</span>,
                        <span class="number">{shown(promised)}</span>,
                        <span class="number">{lowWater === null ? "not watched" : shown(lowWater)}</span>
                      ]
                    }
                  }
                )}
              />
            </Section>
            <Section title="Exposure">
              <Table
                caption="Deposits that were acted on before they are final"
                columns={["Chain", "Deposits", "Dollars"]}
                empty="Nothing is exposed."
                rows={seen.exposure.map(({ chain, deposits, usd }) => ({
                  key: chain,
                  cells: [chain, <span class="number">{deposits}</span>, <span class="number">{usd}</span>]
                }))}
              />
            </Section>
          </>
        )}
      </Show>
    </>
  )
}
