// What waits for the next frame.

/** A function that does something once before the next frame, however often it is called. @param {() => void} run */
export function onceAFrame(run) {
  let waits = false;
  return () => {
    if (!waits) {
      waits = true;
      requestAnimationFrame(() => {
        waits = false;
        run();
      });
    }
  };
}
