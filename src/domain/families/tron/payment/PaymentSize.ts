/** The greatest length of a payment's raw data, whatever it pays and whenever it is signed. Pure. */
import { writeRawData } from "../transaction/RawData.ts"
import type { RawData } from "../transaction/RawData.ts"
import type { PaymentBody } from "./PaymentBody.ts"

/** No transaction moves more sun. */
const MOST_SUN = 2n ** 63n - 1n

/** The year 2109. Until then, times take as many bytes. */
const LATEST = 2 ** 42 - 1

const atMost = (act: RawData["act"]): RawData["act"] =>
  act._tag === "Transfer" ? { ...act, amount: MOST_SUN } : act.value === 0n ? act : { ...act, value: MOST_SUN }

/** Bytes. `mostFeeLimit` in sun. */
export const greatestLength = ({ act, memo }: PaymentBody, mostFeeLimit: bigint): number =>
  writeRawData({
    act: atMost(act),
    memo,
    reference: { height: 0xffffn, hash: "f".repeat(64) },
    expiration: LATEST,
    timestamp: LATEST,
    feeLimit: act._tag === "Transfer" ? 0n : mostFeeLimit
  }).length
