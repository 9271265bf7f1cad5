/**
 * A deposit of bitcoin by bitcoinjs-lib. Spends the faucet's coins, with one output for the depository, one with the id
 * (OP_RETURN), and the change to the faucet.
 */
import { address as addresses, networks } from "bitcoinjs-lib"
import { Effect } from "effect"
import type { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { payFromFaucet } from "../../nodes/bitcoin/Faucet.ts"
import { saying } from "../../nodes/bitcoin/node/Payment.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"

export const deposit = (chain: NonNullable<Localnet["bitcoin"]>, amount: bigint, id: Hex32) =>
  Effect.tryPromise({
    try: async () => ({
      transactionId: await payFromFaucet(chain, [
        { script: addresses.toOutputScript(chain.depository.address, networks.regtest), amount },
        saying(id)
      ]),
      depositor: chain.faucet.address
    }),
    catch: (cause) => new LocalnetError({ message: `the deposit on ${chain.id} failed: ${reasonOf(cause)}` })
  })
