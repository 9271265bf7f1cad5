/**
 * The sponsor of a simulated world: an API key, its wallet's app balance, and its budget. All three are written beside
 * the service, before its first process starts: what credits a balance on a chain is not simulated.
 */
import { Effect, Result } from "effect"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { ApiKey } from "../../../src/domain/api-key/ApiKey.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import { credit } from "../../../src/domain/ledger/Movements.ts"
import { creditId } from "../../../src/domain/ledger/LedgerIds.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { ledgerRules } from "../../../examples/ledger-vm/rules/LedgerRules.ts"
import type { Dice } from "../Dice.ts"
import { chainIds, sponsorWallet, START, token } from "../Terms.ts"

/** The key that every sponsored quote comes with. Whoever has it is a user, the adversary too. */
export const sponsorKey: ApiKey = { id: ApiKeyId.make("key_sponsor"), label: "sponsor", wallet: sponsorWallet }

/** App balances are held in the token of the settlement chain. */
export const sponsorCurrency = { chainId: ChainId.make(chainIds.alpha), address: token }

/** What the sponsor has, and what its key may spend: micro-USDC. */
export interface SponsorTerms {
  readonly credited: bigint
  readonly perDay: bigint
  readonly perRecipientPerDay: bigint
  /** For all later deposits of one open deposit address. */
  readonly laterPerAddressPerDay: bigint
}

const PLENTY = 10_000_000
/** About what a small quote draws. */
const A_QUOTE = 20_000

/** Some sponsors run dry within a run, some reach their budget, some neither. */
export const drawSponsor = (dice: Dice): SponsorTerms => {
  const limit = (most: number) => BigInt(dice.chance(0.3) ? dice.between(A_QUOTE, most) : PLENTY)
  return {
    credited: limit(300_000),
    perDay: limit(300_000),
    perRecipientPerDay: limit(100_000),
    laterPerAddressPerDay: dice.chance(0.7) ? BigInt(dice.between(A_QUOTE, 100_000)) : 0n
  }
}

/** Needs the store's ports, beside all faults. */
export const addSponsor = ({ credited, laterPerAddressPerDay, perDay, perRecipientPerDay }: SponsorTerms) =>
  Effect.gen(function*() {
    const [keys, budgets, ledger] = [yield* ApiKeys, yield* Budgets, yield* Ledger]
    yield* keys.add(sponsorKey, Hex32.make(`0x${"5a".repeat(32)}`), START)
    yield* budgets.change(sponsorKey.id, {
      perDay: MicroUsdc(perDay),
      perRecipientPerDay: MicroUsdc(perRecipientPerDay),
      laterPerAddressPerDay: MicroUsdc(laterPerAddressPerDay)
    })
    const transactionId = Result.getOrThrow(parseTransactionId(ledgerRules, "5a".repeat(32)))
    const movement = credit({
      id: creditId({ chainId: sponsorCurrency.chainId, transactionId, logIndex: 0 }),
      currency: sponsorCurrency,
      wallet: sponsorWallet,
      units: credited
    })
    yield* ledger.post(Result.getOrThrow(movement), START)
  }).pipe(Effect.orDie)
