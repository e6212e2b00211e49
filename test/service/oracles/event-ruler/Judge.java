import java.io.BufferedReader;
import java.io.InputStreamReader;
import software.amazon.event.ruler.Ruler;

/** Reads pairs of lines, a pattern and an event, and prints what Event Ruler says of each. */
class Judge {
  public static void main(String[] words) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String pattern; (pattern = lines.readLine()) != null; ) {
      String event = lines.readLine();
      try {
        System.out.println(Ruler.matchesRule(event, pattern));
      } catch (Exception error) {
        System.out.println("refused");
      }
    }
  }
}
