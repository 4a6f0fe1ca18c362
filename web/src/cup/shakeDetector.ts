/** Telling when a phone is shaken. */

const HARD = 14; // m/s², without gravity
const STROKES = 3;
const WITHIN_MS = 900;
const CALM_MS = 350;

/** iOS asks its owner first, and only after a tap. */
interface Asking {
  requestPermission?: () => Promise<PermissionState>;
}

/** Whether this device may tell; asks the owner where it has to. */
export async function requestMotionAccess(): Promise<boolean> {
  if (!("DeviceMotionEvent" in window)) return false;
  const { requestPermission } = DeviceMotionEvent as unknown as Asking;
  if (!requestPermission) return true;
  try {
    return (await requestPermission.call(DeviceMotionEvent)) === "granted";
  } catch {
    return false;
  }
}

/** Call `shaken` whenever the phone has been shaken and is calm again. Returns how to stop. */
export function onShake(shaken: () => void): () => void {
  let strokes: number[] = [];
  let calm: ReturnType<typeof setTimeout> | undefined;

  function felt({ acceleration, timeStamp }: DeviceMotionEvent): void {
    const { x, y, z } = acceleration ?? { x: 0, y: 0, z: 0 };
    if (Math.hypot(x ?? 0, y ?? 0, z ?? 0) < HARD) return;
    strokes = [...strokes.filter((when) => timeStamp - when < WITHIN_MS), timeStamp];
    if (strokes.length < STROKES) return;
    clearTimeout(calm);
    calm = setTimeout(() => {
      strokes = [];
      shaken();
    }, CALM_MS);
  }

  addEventListener("devicemotion", felt);
  return () => {
    clearTimeout(calm);
    removeEventListener("devicemotion", felt);
  };
}
