/** The sealing of a test: each key one byte repeated, the first seals; none when nothing is sealed. */
import { Redacted } from "effect"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import * as AesGcmSealing from "../AesGcmSealing.ts"

export const sealingOf = (...bytes: ReadonlyArray<string>) =>
  AesGcmSealing.layer(bytes.map((byte) => Redacted.make(Hex32.make(`0x${byte.repeat(32)}`))))
