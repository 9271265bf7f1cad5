/**
 * Which families a refusal of POST /quote can be about: by what their chains can do, and by the reasons that their
 * adapters give.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { FamilyName } from "../../../src/domain/chain/VmFamily.ts"
import { can } from "../../../src/domain/families/FamilyRules.ts"
import type { Ability } from "../../../src/domain/families/FamilyRules.ts"
import type { QuoteErrorCode } from "../../../src/domain/quote/QuoteError.ts"
import { chainsOf, familyNames } from "./LocalChains.ts"

/** Only possible with something that the family's chains can do. */
const byAbility: Readonly<Partial<Record<QuoteErrorCode, ReadonlyArray<Ability>>>> = {
  NO_SWAP_ROUTES_FOUND: ["swaps-before-deposits", "swaps-in-fills"],
  INVALID_EXTRA_TXS: ["calls"],
  DESTINATION_TX_FAILED: ["calls", "swaps-in-fills"],
  PERMIT_FAILED: ["permits"]
}

/** Of a reason that the family's adapter gives (`DepositUnfit`, `PaymentRefused`). */
const byReason: Readonly<Partial<Record<QuoteErrorCode, string>>> = {
  SOLANA_TX_TOO_LARGE: "TooLarge",
  INSUFFICIENT_USER_BALANCE: "UserUnfunded"
}

const adapters = join(import.meta.dirname, "../../../adapters")

const folderOf: Readonly<Partial<Record<FamilyName, string>>> = {
  "ethereum-vm": "ethereum",
  "solana-vm": "solana",
  "bitcoin-vm": "bitcoin",
  "exchangea-vm": "exchange-a",
  "exchangeb-vm": "exchange-b",
  "tron-vm": "tron"
}

const gives = (family: FamilyName, reason: string): boolean => {
  const folder = folderOf[family]
  if (folder === undefined) throw new Error(`no folder of ${family} is known`)
  return readdirSync(join(adapters, folder), { recursive: true, encoding: "utf8" }).some((file) =>
    file.endsWith(".ts") && !file.endsWith(".test.ts") &&
    readFileSync(join(adapters, folder, file), "utf8").includes(`_tag: "${reason}"`)
  )
}

const isRaisedBy = (code: QuoteErrorCode) => (family: FamilyName): boolean => {
  const [abilities, reason] = [byAbility[code], byReason[code]]
  if (abilities !== undefined) {
    return chainsOf(family).some((chain) => abilities.some((ability) => can(chain.family, ability)))
  }
  return reason === undefined || gives(family, reason)
}

/** "all", or the names. */
export const familiesRaising = (code: QuoteErrorCode): string => {
  const raising = familyNames.filter(isRaisedBy(code))
  return raising.length === familyNames.length ? "all" : raising.join(", ")
}
