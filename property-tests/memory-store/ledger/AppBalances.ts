/** The port `AppBalances` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AppBalances } from "../../../ports/store/ledger/AppBalances.ts"
import type { StatementPlace } from "../../../ports/store/ledger/AppBalances.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { accountKey, ownerOf } from "../../../src/domain/ledger/Account.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending, descending } from "../Ordering.ts"
import type { MovementRow } from "../rows/LedgerRows.ts"
import type { Tables } from "../Tables.ts"

const idOf = ({ transaction: { id } }: MovementRow): string => id

const movementsOf = (
  { entriesOf, movements }: Tables,
  owner: Address,
  { before, limit }: { readonly before: StatementPlace | undefined; readonly limit: number }
) =>
  [...new Set(entriesOf(owner).map(({ movement }) => movement))].flatMap((id) => movements.get(id) ?? []).filter((
    row
  ) => before === undefined || row.at < before.at || (row.at === before.at && idOf(row) < before.id)).toSorted(
    descending(({ at }) => at, idOf)
  ).slice(0, limit)

export const layer = Layer.effect(
  AppBalances,
  Effect.map(MemoryStore, ({ call }) =>
    AppBalances.of({
      accountsOf: (owner) =>
        call("AppBalances.accountsOf", ({ balances }) =>
          balances.all().filter(({ account, units }) =>
            units !== 0n && ownerOf(account) === owner
          ).toSorted(
            ascending(
              ({ currency }) => currency.chainId,
              ({ currency }) => currency.address,
              ({ account }) => accountKey(account)
            )
          )),
      debtsOf: (wallet) =>
        call("AppBalances.debtsOf", ({ debts }) =>
          debts.all().filter((debt) =>
            debt.units !== 0n && debt.wallet === wallet
          ).toSorted(
            ascending(
              ({ recipient }) => recipient,
              ({ currency }) => currency.chainId,
              ({ currency }) => currency.address
            )
          )),
      movement: (id) =>
        call("AppBalances.movement", ({ movements }) => movements.get(id)),
      movementsOfKind: (kind) =>
        call("AppBalances.movementsOfKind", ({ movements }) =>
          movements.all().filter(({ transaction }) =>
            transaction.kind === kind
          ).toSorted(
            ascending(({ at }) => at, idOf)
          )),
      movementsOf: (owner, page) =>
        call("AppBalances.movementsOf", (tables) => movementsOf(tables, owner, page))
    }))
)
