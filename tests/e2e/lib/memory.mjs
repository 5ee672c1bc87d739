// Resident memory of a process, from /proc.
import { readFileSync } from 'node:fs'

export function residentMiB(pid) {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(kib[1]) / 1024
}

/** Sanitizers keep freed memory for a while: their builds only have to survive. */
export const memoryIsOurs = !process.env.III_E2E_SLOW
