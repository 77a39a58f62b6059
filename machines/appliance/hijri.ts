/** The tabular Hijri calendar (civil epoch, leap years 2, 5, 7, 10, 13, 16, 18, 21, 24, 26 and 29 of thirty). */
export interface HijriDate {
  year: number;
  month: number;
  day: number;
  month_name: string;
  month_name_ar: string;
}

const months: readonly (readonly [string, string])[] = [
  ["Muharram", "محرم"],
  ["Safar", "صفر"],
  ["Rabi al-Awwal", "ربيع الأول"],
  ["Rabi al-Thani", "ربيع الآخر"],
  ["Jumada al-Ula", "جمادى الأولى"],
  ["Jumada al-Akhirah", "جمادى الآخرة"],
  ["Rajab", "رجب"],
  ["Shaban", "شعبان"],
  ["Ramadan", "رمضان"],
  ["Shawwal", "شوال"],
  ["Dhu al-Qadah", "ذو القعدة"],
  ["Dhu al-Hijjah", "ذو الحجة"],
];

/** 1 Muharram of year 1 in days before 1970: Julian day 1948440 against 2440588. */
const epochDay = 1_948_440 - 2_440_588;

/** The Hijri date of a civil day, counted from 1 January 1970. */
export function hijriOf(civilDay: number): HijriDate {
  const days = civilDay - epochDay;
  const year = Math.floor((30 * days + 10_646) / 10_631);
  const inYear = days - startOfYear(year);
  const month = Math.min(12, Math.ceil((inYear - 29) / 29.5) + 1);
  const day = inYear - Math.ceil(29.5 * (month - 1)) + 1;
  const [name, arabic] = months[month - 1]!;
  return { year, month, day, month_name: name, month_name_ar: arabic };
}

function startOfYear(year: number): number {
  return (year - 1) * 354 + Math.floor((3 + 11 * year) / 30);
}
