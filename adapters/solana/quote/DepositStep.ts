/** The one step of a deposit on Solana: instructions, lookup tables and fee payer of its transaction. */
import type { Instruction } from "@solana/kit"
import type { DepositIntent, NamedDeposit } from "../../../ports/chain/StepBuilder.ts"
import type { Step } from "../../../src/domain/quote/wire/Step.ts"
import { wireInstruction } from "../rpc/Instructions.ts"

/** `to`: the deposit address that it pays. */
export const depositStep = (
  intent: DepositIntent,
  instructions: ReadonlyArray<Instruction>,
  named: NamedDeposit,
  { lookupTables = [], to }: { readonly lookupTables?: ReadonlyArray<string>; readonly to?: string } = {}
): Step => ({
  id: "deposit",
  action: "Confirm transaction in your wallet",
  description: intent.way._tag === "RouteDeposit"
    ? `Swap ${intent.currency.symbol} for ${intent.way.output.symbol} on ${intent.origin.name}, and deposit it`
    : `Deposit ${intent.currency.symbol} on ${intent.origin.name}`,
  kind: "transaction",
  requestId: named.requestId,
  ...(to === undefined ? {} : { depositAddress: to }),
  items: [{
    status: "incomplete",
    data: {
      instructions: instructions.map(wireInstruction),
      addressLookupTableAddresses: [...lookupTables],
      feePayer: intent.feePayer ?? intent.user
    },
    check: { endpoint: named.checkEndpoint, method: "GET" }
  }]
})
