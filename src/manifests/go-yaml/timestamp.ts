/**
 * Which texts go-yaml takes for a time where the tag `!!timestamp` asks for one.
 */

const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const TIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+](\d{2}):(\d{2}))| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)$/;

export function isTimestamp(text: string): boolean {
  const match = DATE.exec(text) ?? TIME.exec(text);
  if (match === null) {
    return false;
  }
  const [year, month, day, ...rest] = match.slice(1).map((part: string | undefined) => Number(part ?? 0));
  const [hour, minute, second, zoneHours, zoneMinutes, spacedHour, spacedMinute, spacedSecond] = [
    ...rest,
    ...Array<number>(8).fill(0),
  ];
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate() &&
    Math.max(hour, spacedHour) < 24 &&
    Math.max(minute, spacedMinute, second, spacedSecond) < 60 &&
    zoneHours <= 24 &&
    zoneMinutes < 60
  );
}
