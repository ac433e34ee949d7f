<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ru">
<context>
    <name>AddEngine</name>
    <message>
        <source>/path/to/venv or /path/to/python</source>
        <translation>/путь/к/venv или /путь/к/python</translation>
    </message>
    <message>
        <source>A vLLM you already have</source>
        <translation>vLLM, который у вас уже есть</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Добавить</translation>
    </message>
    <message>
        <source>Add this engine</source>
        <translation>Добавить этот движок</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Обзор…</translation>
    </message>
    <message>
        <source>Choose an environment&apos;s folder</source>
        <translation>Выберите папку окружения</translation>
    </message>
    <message>
        <source>Its Python or its environment&apos;s folder. Stowage uses it and never changes it.</source>
        <translation>Его Python или папка его окружения. Stowage пользуется им и никогда его не меняет.</translation>
    </message>
    <message>
        <source>Path of a Python or of an environment with vLLM</source>
        <translation>Путь к Python или к окружению с vLLM</translation>
    </message>
</context>
<context>
    <name>AddFolder</name>
    <message>
        <source>A folder with config.json, the safetensors files and the tokenizer.</source>
        <translation>Папка, где лежат config.json, файлы safetensors и токенизатор.</translation>
    </message>
    <message>
        <source>A model on this computer</source>
        <translation>Модель на этом компьютере</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Добавить</translation>
    </message>
    <message>
        <source>Add this folder</source>
        <translation>Добавить эту папку</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Обзор…</translation>
    </message>
    <message>
        <source>Choose a checkpoint folder</source>
        <translation>Выберите папку с моделью</translation>
    </message>
    <message>
        <source>Paste a path, or drop a folder on this page</source>
        <translation>Вставьте путь или перетащите папку на эту страницу</translation>
    </message>
    <message>
        <source>Path of a checkpoint folder</source>
        <translation>Путь к папке с моделью</translation>
    </message>
</context>
<context>
    <name>Answer</name>
    <message>
        <source>Answer</source>
        <translation>Ответ</translation>
    </message>
    <message>
        <source>Copy the answer as Markdown</source>
        <translation>Скопировать ответ в Markdown</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Рассуждения</translation>
    </message>
    <message>
        <source>The model&apos;s reasoning</source>
        <translation>Рассуждения модели</translation>
    </message>
    <message>
        <source>Waiting for the first token…</source>
        <translation>Ждём первый токен…</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close this message</source>
        <translation>Закрыть это сообщение</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Скопировать подробности</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Подробности</translation>
    </message>
</context>
<context>
    <name>BudgetDetails</name>
    <message>
        <source>Close</source>
        <translation>Закрыть</translation>
    </message>
    <message>
        <source>No program uses this card now.</source>
        <translation>Сейчас этой картой не пользуется ни одна программа.</translation>
    </message>
    <message>
        <source>Our server&apos;s part is taken from its log.</source>
        <translation>Доля нашего сервера взята из его журнала.</translation>
    </message>
    <message>
        <source>The driver does not tell which programs use this card.</source>
        <translation>Драйвер не сообщает, какие программы пользуются этой картой.</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Этот компьютер</translation>
    </message>
    <message>
        <source>What the processor can compute with directly; vLLM uses it on the CPU.</source>
        <translation>С чем процессор умеет считать напрямую; vLLM пользуется этим на CPU.</translation>
    </message>
</context>
<context>
    <name>BudgetPanel</name>
    <message>
        <source>Memory and disks</source>
        <translation>Память и диски</translation>
    </message>
</context>
<context>
    <name>BudgetTerms</name>
    <message numerus="yes">
        <source>%n process(es)</source>
        <translation>
            <numerusform>%n процесс</numerusform>
            <numerusform>%n процесса</numerusform>
            <numerusform>%n процессов</numerusform>
        </translation>
    </message>
    <message>
        <source>Engines and models of Stowage.</source>
        <translation>Движки и модели Stowage.</translation>
    </message>
    <message>
        <source>Files on this disk, whoever&apos;s they are.</source>
        <translation>Файлы на этом диске, чьи бы они ни были.</translation>
    </message>
    <message>
        <source>Held by the server that Stowage started.</source>
        <translation>Занято сервером, который запустил Stowage.</translation>
    </message>
    <message>
        <source>In use, but by no program that can be seen: the system itself, or other users.</source>
        <translation>Занято, но не видно кем: самой системой или другими пользователями.</translation>
    </message>
    <message>
        <source>It cannot be told for certain.</source>
        <translation>Точно сказать нельзя.</translation>
    </message>
    <message>
        <source>It is hidden from programs like this one.</source>
        <translation>Скрыто от таких программ, как эта.</translation>
    </message>
    <message>
        <source>It is not measured yet.</source>
        <translation>Ещё не измерено.</translation>
    </message>
    <message>
        <source>KV unused</source>
        <translation>KV свободен</translation>
    </message>
    <message>
        <source>Nobody uses it.</source>
        <translation>Никем не занято.</translation>
    </message>
    <message>
        <source>Reading it failed.</source>
        <translation>Прочитать не удалось.</translation>
    </message>
    <message>
        <source>Room that you may still fill.</source>
        <translation>Место, которое ещё можно занять.</translation>
    </message>
    <message>
        <source>Set aside for the conversation and not in use at this moment.</source>
        <translation>Отведено под разговор и сейчас не используется.</translation>
    </message>
    <message>
        <source>Stowage is not allowed to read it.</source>
        <translation>Stowage не разрешено это читать.</translation>
    </message>
    <message>
        <source>The driver answered with a figure that cannot be.</source>
        <translation>Драйвер назвал невозможное число.</translation>
    </message>
    <message>
        <source>The driver does not answer any more.</source>
        <translation>Драйвер больше не отвечает.</translation>
    </message>
    <message>
        <source>The driver does not tell.</source>
        <translation>Драйвер этого не сообщает.</translation>
    </message>
    <message>
        <source>The graphics card sleeps to save power; it is not woken just to ask.</source>
        <translation>Видеокарта спит, чтобы беречь энергию; ради вопроса её не будят.</translation>
    </message>
    <message>
        <source>The graphics driver keeps this for itself.</source>
        <translation>Это драйвер видеокарты держит для себя.</translation>
    </message>
    <message>
        <source>There is nothing to read it from.</source>
        <translation>Прочитать это неоткуда.</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>не помещается</translation>
    </message>
    <message>
        <source>files</source>
        <translation>файлы</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>помещается</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>впритык</translation>
    </message>
    <message>
        <source>{part}: {size}</source>
        <translation>{part}: {size}</translation>
    </message>
</context>
<context>
    <name>BudgetViews</name>
    <message>
        <source>Disk {mount}</source>
        <translation>Диск {mount}</translation>
    </message>
    <message>
        <source>It uses a part of the RAM: the two are never added up.</source>
        <translation>Она занимает часть ОЗУ: вместе их складывать нельзя.</translation>
    </message>
    <message>
        <source>Left beside the plan: {size}</source>
        <translation>Останется рядом с планом: {size}</translation>
    </message>
    <message>
        <source>Limited by the system; the computer has {total}.</source>
        <translation>Ограничено системой; всего в компьютере {total}.</translation>
    </message>
    <message>
        <source>Memory of this computer</source>
        <translation>Память этого компьютера</translation>
    </message>
    <message>
        <source>RAM and VRAM</source>
        <translation>ОЗУ и VRAM</translation>
    </message>
    <message>
        <source>VRAM</source>
        <translation>VRAM</translation>
    </message>
    <message>
        <source>VRAM {number}</source>
        <translation>VRAM {number}</translation>
    </message>
    <message>
        <source>engines</source>
        <translation>движки</translation>
    </message>
    <message>
        <source>it cannot be told whether it fits</source>
        <translation>нельзя сказать, поместится ли</translation>
    </message>
    <message>
        <source>left {size}</source>
        <translation>останется {size}</translation>
    </message>
    <message>
        <source>models</source>
        <translation>модели</translation>
    </message>
    <message>
        <source>short by {size}</source>
        <translation>не хватает {size}</translation>
    </message>
    <message>
        <source>temporary files</source>
        <translation>временные файлы</translation>
    </message>
    <message>
        <source>{degrees} °C</source>
        <translation>{degrees} °C</translation>
    </message>
    <message>
        <source>{free} GiB free</source>
        <translation>свободно {free} ГиБ</translation>
    </message>
    <message>
        <source>{free} free</source>
        <translation>своб. {free}</translation>
    </message>
    <message>
        <source>{gpu} has no memory of its own: it uses the RAM.</source>
        <translation>У {gpu} нет своей памяти: используется ОЗУ.</translation>
    </message>
    <message>
        <source>{kind}; here lie: {roles}</source>
        <translation>{kind}; здесь лежат: {roles}</translation>
    </message>
    <message>
        <source>{model} would take</source>
        <translation>Понадобится модели {model}</translation>
    </message>
    <message>
        <source>{model} would take about</source>
        <translation>Понадобится модели {model}, примерно</translation>
    </message>
    <message>
        <source>{part}: {size}</source>
        <translation>{part}: {size}</translation>
    </message>
    <message>
        <source>{percent} % busy</source>
        <translation>занята на {percent} %</translation>
    </message>
    <message>
        <source>{used} / {total} GiB</source>
        <translation>{used} / {total} ГиБ</translation>
    </message>
    <message>
        <source>{used} of {total} GiB in use, {free} GiB free</source>
        <translation>занято {used} из {total} ГиБ, свободно {free} ГиБ</translation>
    </message>
    <message>
        <source>{watt} W</source>
        <translation>{watt} Вт</translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Чат</translation>
    </message>
    <message>
        <source>How the model should behave, for example: Answer briefly.</source>
        <translation>Как должна вести себя модель, например: «Отвечай кратко».</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Новый разговор</translation>
    </message>
    <message>
        <source>No server is running</source>
        <translation>Сервер не запущен</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Открыть</translation>
    </message>
    <message>
        <source>Open this address in your browser?</source>
        <translation>Открыть этот адрес в браузере?</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Системный промпт</translation>
    </message>
    <message>
        <source>Talking to {model}</source>
        <translation>Собеседник: {model}</translation>
    </message>
</context>
<context>
    <name>ChatPresenter</name>
    <message>
        <source>stopped at the length limit</source>
        <translation>ответ обрезан по длине</translation>
    </message>
    <message>
        <source>stopped by you</source>
        <translation>остановлено вами</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Send</source>
        <translation>Отправить</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Стоп</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>Остановить ответ (Esc)</translation>
    </message>
</context>
<context>
    <name>CrashReport</name>
    <message>
        <source>Close</source>
        <translation>Закрыть</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Скопировать отчёт</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Отчёт</translation>
    </message>
</context>
<context>
    <name>EngineCard</name>
    <message>
        <source>Check</source>
        <translation>Проверить</translation>
    </message>
    <message>
        <source>Import it and see what it says</source>
        <translation>Загрузить его и посмотреть, работает ли</translation>
    </message>
    <message>
        <source>Install it again, keeping what is good</source>
        <translation>Установить заново, сохранив исправное</translation>
    </message>
    <message>
        <source>Launch models on this engine</source>
        <translation>Запускать модели на этом движке</translation>
    </message>
    <message>
        <source>Python {version}</source>
        <translation>Python {version}</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Удалить…</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Починить</translation>
    </message>
    <message>
        <source>Take off the list…</source>
        <translation>Убрать из списка…</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Выбрать</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>выбран</translation>
    </message>
    <message>
        <source>installed by Stowage</source>
        <translation>установлен Stowage</translation>
    </message>
    <message>
        <source>your own environment</source>
        <translation>ваше окружение</translation>
    </message>
</context>
<context>
    <name>EnginesPage</name>
    <message>
        <source>Engines</source>
        <translation>Движки</translation>
    </message>
    <message>
        <source>Installed vLLM builds. Models run on the one in use.</source>
        <translation>Установленные сборки vLLM. Модели работают на выбранной.</translation>
    </message>
    <message>
        <source>Looking for engines…</source>
        <translation>Ищем движки…</translation>
    </message>
    <message>
        <source>No engine yet. Install the recommended one, or add your own.</source>
        <translation>Движка пока нет. Установите рекомендованный или добавьте свой.</translation>
    </message>
</context>
<context>
    <name>EnginesPresenter</name>
    <message>
        <source>About {download} to download, {disk} on disk. At 10 MB/s that takes about {minutes} min.</source>
        <translation>Загрузка около {download}, на диске {disk}. При 10 МБ/с это примерно {minutes} мин.</translation>
    </message>
    <message>
        <source>Its {size} on disk become free. You can install it again later.</source>
        <translation>На диске освободится {size}. Его можно будет установить снова.</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Оставить</translation>
    </message>
    <message>
        <source>Recommended: {engine}</source>
        <translation>Рекомендуем: {engine}</translation>
    </message>
    <message>
        <source>Remove engine</source>
        <translation>Удалить движок</translation>
    </message>
    <message>
        <source>Remove {engine}?</source>
        <translation>Удалить {engine}?</translation>
    </message>
    <message>
        <source>Stowage forgets it. Its files stay as they are.</source>
        <translation>Stowage забудет о нём. Файлы останутся как есть.</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>Counted by the server.</source>
        <translation>Посчитано сервером.</translation>
    </message>
    <message>
        <source>Prompt: {prompt} tokens
Answer: {answer} tokens
Time to first token: {first} s
Writing speed after the first token: {rate} tok/s
Whole answer: {total} s
{source}</source>
        <translation>Запрос: {prompt} ток.
Ответ: {answer} ток.
До первого токена: {first} с
Скорость после первого токена: {rate} ток/с
Весь ответ: {total} с
{source}</translation>
    </message>
    <message>
        <source>The server sent no counts: these are incomplete.</source>
        <translation>Сервер не прислал число токенов: данные неполные.</translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} ток/с</translation>
    </message>
    <message>
        <source>{rate} tok/s · first token {first} s · {tokens} tokens</source>
        <translation>{rate} ток/с · первый токен {first} с · {tokens} ток.</translation>
    </message>
</context>
<context>
    <name>GuideCard</name>
    <message>
        <source>Install engine and start the starter model</source>
        <translation>Установить движок и запустить первую модель</translation>
    </message>
    <message>
        <source>Your first answer, in one step</source>
        <translation>Первый ответ в одно нажатие</translation>
    </message>
</context>
<context>
    <name>HostWords</name>
    <message>
        <source>Compute capability {number}</source>
        <translation>Вычислительные возможности {number}</translation>
    </message>
    <message>
        <source>Driver {version}, CUDA up to {cuda}</source>
        <translation>Драйвер {version}, CUDA до {cuda}</translation>
    </message>
    <message>
        <source>No GPU here: models run on the processor and in RAM.</source>
        <translation>Видеокарты здесь нет: модели работают на процессоре и в ОЗУ.</translation>
    </message>
    <message>
        <source>PCIe {generation}.0 x{width}: about {rate} from RAM</source>
        <translation>PCIe {generation}.0 x{width}: примерно {rate} из ОЗУ</translation>
    </message>
    <message>
        <source>Programs may lock {size} in RAM</source>
        <translation>Программа может закрепить в ОЗУ {size}</translation>
    </message>
    <message>
        <source>Shared memory (/dev/shm): {size}</source>
        <translation>Общая память (/dev/shm): {size}</translation>
    </message>
    <message>
        <source>Swap: {used} of {total} in use</source>
        <translation>Подкачка: занято {used} из {total}</translation>
    </message>
</context>
<context>
    <name>InstallCard</name>
    <message>
        <source>Install</source>
        <translation>Установить</translation>
    </message>
</context>
<context>
    <name>Invitation</name>
    <message>
        <source>Ask {model} something</source>
        <translation>Спросите что-нибудь у {model}</translation>
    </message>
    <message>
        <source>Choose and launch a model</source>
        <translation>Выбрать и запустить модель</translation>
    </message>
    <message>
        <source>Explain unified memory in two sentences.</source>
        <translation>Объясни в двух предложениях, что такое общая память.</translation>
    </message>
    <message>
        <source>Launch one first. Then you talk to it here.</source>
        <translation>Сначала запустите её, потом разговаривайте с ней здесь.</translation>
    </message>
    <message>
        <source>No model is running yet</source>
        <translation>Ни одна модель ещё не запущена</translation>
    </message>
    <message>
        <source>Nothing you write leaves this computer.</source>
        <translation>Всё, что вы пишете, остаётся на этом компьютере.</translation>
    </message>
    <message>
        <source>What is the capital of France?</source>
        <translation>Какой город — столица Франции?</translation>
    </message>
    <message>
        <source>Write a short poem about the sea.</source>
        <translation>Напиши короткое стихотворение о море.</translation>
    </message>
</context>
<context>
    <name>LaunchOptions</name>
    <message>
        <source>8 bits (FP8)</source>
        <translation>8 бит (FP8)</translation>
    </message>
    <message>
        <source>8 bits take half the memory of 16 and cost a little precision in long conversations.</source>
        <translation>8 бит занимают вдвое меньше памяти, чем 16, но в длинных разговорах немного теряется точность.</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Движок</translation>
    </message>
    <message>
        <source>Faster start</source>
        <translation>Быстрый старт</translation>
    </message>
    <message>
        <source>KV cache kept in</source>
        <translation>KV-кэш хранится</translation>
    </message>
    <message>
        <source>Leaves out compiling: the server is ready sooner and writes somewhat more slowly.</source>
        <translation>Без компиляции: сервер готов раньше, но пишет немного медленнее.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Модель</translation>
    </message>
    <message>
        <source>More options</source>
        <translation>Ещё параметры</translation>
    </message>
    <message>
        <source>The installed vLLM that runs it</source>
        <translation>Установленный vLLM, на котором она работает</translation>
    </message>
    <message>
        <source>The model to run</source>
        <translation>Какую модель запустить</translation>
    </message>
    <message>
        <source>none installed yet</source>
        <translation>пока не установлен</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>как у модели</translation>
    </message>
</context>
<context>
    <name>LaunchPage</name>
    <message>
        <source>Launch</source>
        <translation>Запуск</translation>
    </message>
</context>
<context>
    <name>LaunchPresenter</name>
    <message>
        <source>Install engine and launch</source>
        <translation>Установить движок и запустить</translation>
    </message>
    <message>
        <source>It was kept running when Stowage was closed last time; Stowage is connected to it again.</source>
        <translation>Сервер продолжал работать, когда Stowage был закрыт; теперь Stowage снова подключён к нему.</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Запустить</translation>
    </message>
    <message>
        <source>Ready after {time}.</source>
        <translation>Готово за {time}.</translation>
    </message>
    <message>
        <source>Starting {model}</source>
        <translation>Запускаем {model}</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Останавливаем…</translation>
    </message>
    <message>
        <source>{engine}: about {download} to download, {disk} on disk.</source>
        <translation>{engine}: загрузка около {download}, на диске {disk}.</translation>
    </message>
    <message>
        <source>{model} is ready</source>
        <translation>{model}: готова к работе</translation>
    </message>
</context>
<context>
    <name>LeverList</name>
    <message>
        <source>What would help</source>
        <translation>Что поможет</translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message numerus="yes">
        <source>%Ln line(s) left out</source>
        <translation>
            <numerusform>Пропущена %Ln строка</numerusform>
            <numerusform>Пропущено %Ln строки</numerusform>
            <numerusform>Пропущено %Ln строк</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln совпадение</numerusform>
            <numerusform>%Ln совпадения</numerusform>
            <numerusform>%Ln совпадений</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Копировать</translation>
    </message>
    <message>
        <source>Copy the selected lines, or the whole log</source>
        <translation>Скопировать выделенные строки или весь журнал</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Следить</translation>
    </message>
    <message>
        <source>Follow the end of the log</source>
        <translation>Следить за концом журнала</translation>
    </message>
    <message>
        <source>Keep the newest line in sight</source>
        <translation>Держать на виду последнюю строку</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Следующее совпадение</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Предыдущее совпадение</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>Поиск по журналу</translation>
    </message>
    <message>
        <source>Server log</source>
        <translation>Журнал сервера</translation>
    </message>
    <message>
        <source>What the server says appears here.</source>
        <translation>Здесь появится то, что пишет сервер.</translation>
    </message>
    <message>
        <source>{number} of {total}</source>
        <translation>{number} из {total}</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Chat</source>
        <translation>Чат</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>Движки</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Запуск</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Модели</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Настройки</translation>
    </message>
    <message>
        <source>{page} (Ctrl+{number})</source>
        <translation>{page} (Ctrl+{number})</translation>
    </message>
</context>
<context>
    <name>MessageInput</name>
    <message>
        <source>Message… (Enter sends, Shift+Enter starts a new line)</source>
        <translation>Сообщение… (Enter — отправить, Shift+Enter — новая строка)</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Ваше сообщение</translation>
    </message>
</context>
<context>
    <name>MessageList</name>
    <message numerus="yes">
        <source>%Ln earlier message(s) are kept, not shown</source>
        <translation>
            <numerusform>%Ln более раннее сообщение сохранено, но не показано</numerusform>
            <numerusform>%Ln более ранних сообщения сохранены, но не показаны</numerusform>
            <numerusform>%Ln более ранних сообщений сохранены, но не показаны</numerusform>
        </translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Разговор</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Launch</source>
        <translation>Запустить</translation>
    </message>
    <message>
        <source>Launch {model}</source>
        <translation>Запустить {model}</translation>
    </message>
    <message>
        <source>Take {model} off the list (its files stay)</source>
        <translation>Убрать {model} из списка (файлы останутся)</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Choose what to run. Everything stays on this computer.</source>
        <translation>Выберите, что запустить. Всё остаётся на этом компьютере.</translation>
    </message>
    <message>
        <source>Looking at your models…</source>
        <translation>Смотрим ваши модели…</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Модели</translation>
    </message>
    <message>
        <source>Starter model</source>
        <translation>Модель для начала</translation>
    </message>
    <message>
        <source>works without an account</source>
        <translation>работает без учётной записи</translation>
    </message>
    <message>
        <source>{tokens} tokens of context</source>
        <translation>контекст {tokens} ток.</translation>
    </message>
</context>
<context>
    <name>ModelsPresenter</name>
    <message>
        <source>Stowage installs {engine} (about {download} to download, {disk} on disk), makes the starter model and starts it. You can cancel at any time.</source>
        <translation>Stowage установит {engine} (загрузка около {download}, на диске {disk}), подготовит первую модель и запустит её. Отменить можно в любой момент.</translation>
    </message>
</context>
<context>
    <name>PartWords</name>
    <message>
        <source>A small model that guesses ahead.</source>
        <translation>Небольшая модель, которая угадывает наперёд.</translation>
    </message>
    <message>
        <source>A table of the model that vLLM keeps in RAM.</source>
        <translation>Таблица модели, которую vLLM держит в ОЗУ.</translation>
    </message>
    <message>
        <source>CUDA</source>
        <translation>CUDA</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <translation>графы CUDA</translation>
    </message>
    <message>
        <source>Compiled parts that vLLM keeps for the next start.</source>
        <translation>Скомпилированные части, которые vLLM хранит для следующего запуска.</translation>
    </message>
    <message>
        <source>Estimated, between {low} and {high}.</source>
        <translation>Оценка: от {low} до {high}.</translation>
    </message>
    <message>
        <source>Exact: counted as vLLM itself counts it.</source>
        <translation>Точно: посчитано так, как считает сам vLLM.</translation>
    </message>
    <message>
        <source>Finished prompts kept in RAM, so that they need not be read again.</source>
        <translation>Прочитанные запросы в ОЗУ, чтобы не читать их заново.</translation>
    </message>
    <message>
        <source>Intermediate results while a question is read.</source>
        <translation>Промежуточные результаты, пока читается вопрос.</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-кэш</translation>
    </message>
    <message>
        <source>Measured at an earlier launch.</source>
        <translation>Измерено при прошлом запуске.</translation>
    </message>
    <message>
        <source>Memory for the conversation: keys and values of every token in context.</source>
        <translation>Память под разговор: ключи и значения каждого токена контекста.</translation>
    </message>
    <message>
        <source>Only a lower end is known.</source>
        <translation>Известен только нижний предел.</translation>
    </message>
    <message>
        <source>Recorded sequences of work that make writing faster. Faster start leaves them out.</source>
        <translation>Записанные последовательности работы: с ними ответ пишется быстрее. «Быстрый старт» обходится без них.</translation>
    </message>
    <message>
        <source>The engine that is installed first.</source>
        <translation>Движок, который сначала установится.</translation>
    </message>
    <message>
        <source>The latest rows of a table that stays on the disk.</source>
        <translation>Последние строки таблицы, которая остаётся на диске.</translation>
    </message>
    <message>
        <source>The model itself, as vLLM holds it.</source>
        <translation>Сама модель, какой её держит vLLM.</translation>
    </message>
    <message>
        <source>The model&apos;s files that are still to be downloaded.</source>
        <translation>Файлы модели, которые ещё предстоит загрузить.</translation>
    </message>
    <message>
        <source>The programs of the server: Python, PyTorch, vLLM.</source>
        <translation>Программы сервера: Python, PyTorch, vLLM.</translation>
    </message>
    <message>
        <source>Weights kept in RAM, each block rounded up to a power of two.</source>
        <translation>Веса в ОЗУ; каждый блок округлён вверх до степени двойки.</translation>
    </message>
    <message>
        <source>What the driver and the CUDA libraries take as soon as a program uses the card.</source>
        <translation>Что драйвер и библиотеки CUDA занимают, как только программа обращается к видеокарте.</translation>
    </message>
    <message>
        <source>Where weights from RAM arrive before they are used.</source>
        <translation>Куда приходят веса из ОЗУ перед использованием.</translation>
    </message>
    <message>
        <source>at least {size}</source>
        <translation>не меньше {size}</translation>
    </message>
    <message>
        <source>caches</source>
        <translation>кэши</translation>
    </message>
    <message>
        <source>download</source>
        <translation>загрузка</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>черновая модель</translation>
    </message>
    <message>
        <source>embedding cache</source>
        <translation>кэш эмбеддингов</translation>
    </message>
    <message>
        <source>embedding table</source>
        <translation>таблица вложений</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>движок</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>оценка</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>точно</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>измерено</translation>
    </message>
    <message>
        <source>more KV cache</source>
        <translation>ещё KV-кэш</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>неизвестно</translation>
    </message>
    <message>
        <source>offload buffers</source>
        <translation>буферы выгрузки</translation>
    </message>
    <message>
        <source>offloaded weights</source>
        <translation>выгруженные веса</translation>
    </message>
    <message>
        <source>programs</source>
        <translation>программы</translation>
    </message>
    <message>
        <source>prompt cache</source>
        <translation>кэш запросов</translation>
    </message>
    <message>
        <source>vLLM fills the rest of its share with KV cache: room for more conversations.</source>
        <translation>Остаток своей доли vLLM заполняет KV-кэшем: место для других разговоров.</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>веса</translation>
    </message>
    <message>
        <source>working memory</source>
        <translation>рабочая память</translation>
    </message>
    <message>
        <source>≈ {size}</source>
        <translation>≈ {size}</translation>
    </message>
</context>
<context>
    <name>PhaseTimeline</name>
    <message>
        <source>Phases of the start</source>
        <translation>Этапы запуска</translation>
    </message>
</context>
<context>
    <name>PlanBar</name>
    <message>
        <source>Plan for {bar}</source>
        <translation>План: {bar}</translation>
    </message>
</context>
<context>
    <name>PlanCard</name>
    <message>
        <source>Command line</source>
        <translation>Командная строка</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>Скопировать команду</translation>
    </message>
    <message>
        <source>Measure the memory of this computer; it takes up to 20 seconds</source>
        <translation>Измерить память этого компьютера; это занимает до 20 секунд</translation>
    </message>
    <message>
        <source>Measure…</source>
        <translation>Измерить…</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Скорость</translation>
    </message>
    <message>
        <source>Stowage adds a free port and a secret key of its own.</source>
        <translation>Свободный порт и секретный ключ Stowage добавит сам.</translation>
    </message>
    <message>
        <source>What the planner noted (in English)</source>
        <translation>Заметки планировщика (на английском)</translation>
    </message>
</context>
<context>
    <name>PlanPresenter</name>
    <message>
        <source>Looking at the model and this computer…</source>
        <translation>Смотрим на модель и этот компьютер…</translation>
    </message>
    <message>
        <source>No plan for this launch</source>
        <translation>Для этого запуска плана нет</translation>
    </message>
    <message>
        <source>Stowage can plan for CUDA and CPU engines only. You can launch all the same.</source>
        <translation>Stowage составляет план только для движков CUDA и CPU. Запустить всё равно можно.</translation>
    </message>
    <message>
        <source>This engine computes on an NVIDIA graphics card, and none is seen here. Choose a CPU engine, or look at the notes of this computer in the details of its memory.</source>
        <translation>Этот движок считает на видеокарте NVIDIA, а её здесь не видно. Выберите движок для CPU или посмотрите заметки об этом компьютере в подробностях о его памяти.</translation>
    </message>
</context>
<context>
    <name>PlanSkeleton</name>
    <message>
        <source>The plan is being made</source>
        <translation>План составляется</translation>
    </message>
</context>
<context>
    <name>PlanWords</name>
    <message>
        <source>A little precision is lost in long conversations.</source>
        <translation>В длинных разговорах немного теряется точность.</translation>
    </message>
    <message>
        <source>All weights stay on the graphics card.</source>
        <translation>Все веса останутся на видеокарте.</translation>
    </message>
    <message>
        <source>Blocks in RAM are rounded up to powers of two.</source>
        <translation>Блоки в ОЗУ округляются вверх до степеней двойки.</translation>
    </message>
    <message>
        <source>CUDA graphs: {size}</source>
        <translation>графы CUDA: {size}</translation>
    </message>
    <message>
        <source>Context {count}</source>
        <translation>Контекст {count}</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>Не помещается</translation>
    </message>
    <message>
        <source>Every token waits for these weights to come from RAM.</source>
        <translation>Каждый токен ждёт этих весов из ОЗУ.</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Помещается</translation>
    </message>
    <message>
        <source>For one conversation of {context} tokens, about {kib} KiB each. {certainty}</source>
        <translation>На один разговор в {context} токенов, примерно по {kib} КиБ. {certainty}</translation>
    </message>
    <message>
        <source>For one conversation. Each token reads {read} of weights. A question of {tokens} tokens is answered after {low} to {high} s.</source>
        <translation>Для одного разговора. Каждый токен читает {read} весов. Ответ на вопрос в {tokens} токенов начнётся через {low}–{high} с.</translation>
    </message>
    <message>
        <source>It writes clearly more slowly.</source>
        <translation>Пишет заметно медленнее.</translation>
    </message>
    <message>
        <source>KV cache in 8 bits</source>
        <translation>KV-кэш в 8 битах</translation>
    </message>
    <message>
        <source>KV cache {count} GiB</source>
        <translation>KV-кэш {count} ГиБ</translation>
    </message>
    <message>
        <source>Long questions are read in more steps.</source>
        <translation>Длинные вопросы читаются за большее число шагов.</translation>
    </message>
    <message>
        <source>More requests than that wait for their turn.</source>
        <translation>Остальные запросы ждут своей очереди.</translation>
    </message>
    <message>
        <source>No CUDA graphs</source>
        <translation>Без графов CUDA</translation>
    </message>
    <message>
        <source>No offload</source>
        <translation>Без выгрузки</translation>
    </message>
    <message>
        <source>Not known whether it fits</source>
        <translation>Неизвестно, поместится ли</translation>
    </message>
    <message>
        <source>Offload {size}</source>
        <translation>Выгрузить {size}</translation>
    </message>
    <message>
        <source>Only {size} of this model can be moved to RAM.</source>
        <translation>В ОЗУ можно перенести только {size} этой модели.</translation>
    </message>
    <message>
        <source>Questions and answers together may be shorter.</source>
        <translation>Вопросы и ответы вместе смогут занимать меньше.</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>ОЗУ</translation>
    </message>
    <message>
        <source>RAM set aside for the conversation changes.</source>
        <translation>Меняется объём ОЗУ под разговор.</translation>
    </message>
    <message>
        <source>Stowage does not know this architecture: sizes are a floor and a range, not vLLM&apos;s own count.</source>
        <translation>Stowage не знает этой архитектуры: размеры — нижний предел и диапазон, а не подсчёт самого vLLM.</translation>
    </message>
    <message>
        <source>The KV cache holds {tokens} tokens in all; shorter requests share it.</source>
        <translation>В KV-кэш всего входит {tokens} токенов; короткие запросы делят его.</translation>
    </message>
    <message>
        <source>The start takes longer.</source>
        <translation>Запуск займёт больше времени.</translation>
    </message>
    <message>
        <source>Tight</source>
        <translation>Впритык</translation>
    </message>
    <message>
        <source>VRAM</source>
        <translation>VRAM</translation>
    </message>
    <message>
        <source>With CUDA graphs</source>
        <translation>С графами CUDA</translation>
    </message>
    <message>
        <source>You can launch it all the same; it will most likely end with an error.</source>
        <translation>Запустить всё равно можно; скорее всего, будет ошибка.</translation>
    </message>
    <message>
        <source>about {low}–{high} tok/s, limited by {bound}</source>
        <translation>около {low}–{high} ток/с, ограничивает {bound}</translation>
    </message>
    <message>
        <source>about {size} of {place} to spare</source>
        <translation>около {size} {place} в запасе</translation>
    </message>
    <message>
        <source>all weights on the card</source>
        <translation>все веса на видеокарте</translation>
    </message>
    <message>
        <source>by the likely figures, not by the highest ones</source>
        <translation>по вероятным числам, но не по наибольшим</translation>
    </message>
    <message>
        <source>enough for {tokens} tokens of context</source>
        <translation>хватит на {tokens} токенов контекста</translation>
    </message>
    <message>
        <source>frees {size}</source>
        <translation>освобождает {size}</translation>
    </message>
    <message>
        <source>half the memory of 16 bits</source>
        <translation>вдвое меньше памяти, чем в 16 битах</translation>
    </message>
    <message>
        <source>holds {tokens} tokens</source>
        <translation>вмещает {tokens} токенов</translation>
    </message>
    <message>
        <source>if it fitted, about {low}–{high} tok/s, limited by {bound}</source>
        <translation>если бы поместилась, около {low}–{high} ток/с; ограничивает {bound}</translation>
    </message>
    <message>
        <source>not enough alone</source>
        <translation>одного этого мало</translation>
    </message>
    <message>
        <source>not known for this graphics card</source>
        <translation>для этой видеокарты неизвестна</translation>
    </message>
    <message>
        <source>not known for this model</source>
        <translation>для этой модели неизвестна</translation>
    </message>
    <message>
        <source>not known until the RAM of this computer is measured</source>
        <translation>неизвестна, пока не измерена ОЗУ этого компьютера</translation>
    </message>
    <message>
        <source>only a lower end of what it needs is known</source>
        <translation>известен только нижний предел того, что нужно</translation>
    </message>
    <message>
        <source>reading the KV cache</source>
        <translation>чтение KV-кэша</translation>
    </message>
    <message>
        <source>room for {count} at full length</source>
        <translation>места на {count} полной длины</translation>
    </message>
    <message>
        <source>still fits</source>
        <translation>по-прежнему помещается</translation>
    </message>
    <message>
        <source>still not known</source>
        <translation>по-прежнему неизвестно</translation>
    </message>
    <message>
        <source>still tight</source>
        <translation>по-прежнему впритык</translation>
    </message>
    <message>
        <source>the card&apos;s memory cannot be seen</source>
        <translation>память видеокарты не видна</translation>
    </message>
    <message>
        <source>the context is longer than the model allows</source>
        <translation>контекст длиннее, чем допускает модель</translation>
    </message>
    <message>
        <source>the disk</source>
        <translation>места на диске</translation>
    </message>
    <message>
        <source>the model allows {limit} tokens</source>
        <translation>модель допускает {limit} токенов</translation>
    </message>
    <message>
        <source>the speed of the RAM</source>
        <translation>скорость ОЗУ</translation>
    </message>
    <message>
        <source>the speed of the graphics memory</source>
        <translation>скорость видеопамяти</translation>
    </message>
    <message>
        <source>the time to start each step of work</source>
        <translation>время на запуск каждого шага</translation>
    </message>
    <message>
        <source>the way from RAM to the graphics card</source>
        <translation>путь из ОЗУ к видеокарте</translation>
    </message>
    <message>
        <source>then it fits</source>
        <translation>тогда поместится</translation>
    </message>
    <message>
        <source>then it is not known</source>
        <translation>тогда неизвестно</translation>
    </message>
    <message>
        <source>then it is tight</source>
        <translation>тогда впритык</translation>
    </message>
    <message>
        <source>too little for one request</source>
        <translation>мало и для одного запроса</translation>
    </message>
    <message>
        <source>up to {count}</source>
        <translation>до {count}</translation>
    </message>
    <message>
        <source>vLLM cannot lay out the memory of this model</source>
        <translation>vLLM не может разложить память этой модели</translation>
    </message>
    <message>
        <source>vLLM may take {limit} of {total}</source>
        <translation>до {limit} из {total}</translation>
    </message>
    <message>
        <source>vLLM refuses this model on this computer</source>
        <translation>vLLM отказывается от этой модели на этом компьютере</translation>
    </message>
    <message>
        <source>vLLM takes all of its share at once and fills what is left of it with KV cache.</source>
        <translation>vLLM сразу занимает всю свою долю и остаток заполняет KV-кэшем.</translation>
    </message>
    <message>
        <source>waiting for rows of the embedding table</source>
        <translation>ожидание строк таблицы эмбеддингов</translation>
    </message>
    <message>
        <source>{context} tokens need {need} of KV cache and {room} are there</source>
        <translation>на {context} токенов нужно {need} KV-кэша, а есть {room}</translation>
    </message>
    <message>
        <source>{context} tokens · {size} of KV cache</source>
        <translation>{context} токенов · KV-кэш {size}</translation>
    </message>
    <message>
        <source>{count} at once</source>
        <translation>{count} сразу</translation>
    </message>
    <message>
        <source>{count} tokens per step</source>
        <translation>{count} токенов за шаг</translation>
    </message>
    <message>
        <source>{factor} times as fast</source>
        <translation>быстрее в {factor} раза</translation>
    </message>
    <message>
        <source>{moved} of weights, {pinned} of RAM</source>
        <translation>{moved} весов, {pinned} ОЗУ</translation>
    </message>
    <message>
        <source>{place} is short by {size}</source>
        <translation>не хватает {size} {place}</translation>
    </message>
    <message>
        <source>{size} a request</source>
        <translation>{size} на запрос</translation>
    </message>
    <message>
        <source>{size} of KV cache</source>
        <translation>KV-кэш {size}</translation>
    </message>
    <message>
        <source>{size} of them come from RAM.</source>
        <translation>Из них {size} — из ОЗУ.</translation>
    </message>
    <message>
        <source>{tokens} at a time · {size} of working memory</source>
        <translation>по {tokens} · рабочая память {size}</translation>
    </message>
    <message>
        <source>{tokens} tokens at a time</source>
        <translation>по {tokens} токенов</translation>
    </message>
    <message>
        <source>{verdict}: {reason}</source>
        <translation>{verdict}: {reason}</translation>
    </message>
</context>
<context>
    <name>PrecisePresenter</name>
    <message>
        <source>vLLM would refuse: {reason}</source>
        <translation>vLLM откажет: {reason}</translation>
    </message>
    <message>
        <source>vLLM {version} itself says:</source>
        <translation>Сам vLLM {version} говорит:</translation>
    </message>
</context>
<context>
    <name>PreciseRow</name>
    <message>
        <source>Asking vLLM&apos;s own planner…</source>
        <translation>Спрашиваем планировщик самого vLLM…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Check with vLLM itself</source>
        <translation>Сверить с самим vLLM</translation>
    </message>
    <message>
        <source>Runs vLLM&apos;s own planner in the installed engine: no weights, no card, about 10 seconds</source>
        <translation>Запускает планировщик самого vLLM в установленном движке: без весов и видеокарты, около 10 секунд</translation>
    </message>
</context>
<context>
    <name>ProbeCard</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Отменяем…</translation>
    </message>
    <message>
        <source>How fast RAM, disk and the way to the GPU really are. It takes up to 20 seconds.</source>
        <translation>Как быстры на деле ОЗУ, диск и путь к видеокарте. Измерение займёт до 20 секунд.</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Измерить</translation>
    </message>
    <message>
        <source>Measured speeds</source>
        <translation>Измеренная скорость</translation>
    </message>
    <message>
        <source>On {date}.</source>
        <translation>{date}.</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Ход работы</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Начинаем…</translation>
    </message>
    <message>
        <source>The disk was read through the cache: it may be slower.</source>
        <translation>Диск читался через кэш: на деле он может быть медленнее.</translation>
    </message>
</context>
<context>
    <name>ProcessModel</name>
    <message>
        <source>Memory</source>
        <translation>Память</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>Процесс</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Программа</translation>
    </message>
    <message>
        <source>The number comes from the driver and may be another process in this container.</source>
        <translation>Номер назвал драйвер: в этом контейнере это может быть другой процесс.</translation>
    </message>
    <message>
        <source>Whose</source>
        <translation>Чья</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>неизвестно</translation>
    </message>
    <message>
        <source>● our server</source>
        <translation>● наш сервер</translation>
    </message>
</context>
<context>
    <name>ProcessTable</name>
    <message>
        <source>Programs and their memory</source>
        <translation>Программы и их память</translation>
    </message>
</context>
<context>
    <name>ProgressRow</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Отменяем…</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Ход работы</translation>
    </message>
    <message>
        <source>about {time} left</source>
        <translation>осталось около {time}</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} из {total}</translation>
    </message>
    <message>
        <source>{rate} MB/s</source>
        <translation>{rate} МБ/с</translation>
    </message>
    <message>
        <source>{step} (step {number} of {count})</source>
        <translation>{step} (шаг {number} из {count})</translation>
    </message>
</context>
<context>
    <name>Question</name>
    <message>
        <source>You said</source>
        <translation>Вы сказали</translation>
    </message>
</context>
<context>
    <name>Quitting</name>
    <message>
        <source>A server that keeps running holds its memory. Stowage finds it again at the next start.</source>
        <translation>Работающий сервер занимает память. При следующем запуске Stowage снова найдёт его.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Closing Stowage now cancels the start.</source>
        <translation>Если закрыть Stowage сейчас, запуск отменится.</translation>
    </message>
    <message>
        <source>Closing…</source>
        <translation>Закрываем…</translation>
    </message>
    <message>
        <source>Do this every time</source>
        <translation>Поступать так всегда</translation>
    </message>
    <message>
        <source>Keep it running</source>
        <translation>Пусть работает</translation>
    </message>
    <message>
        <source>Stop server</source>
        <translation>Остановить сервер</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Останавливаем…</translation>
    </message>
    <message>
        <source>{model} is still running</source>
        <translation>{model} ещё работает</translation>
    </message>
    <message>
        <source>{model} is still starting</source>
        <translation>{model} ещё запускается</translation>
    </message>
</context>
<context>
    <name>ReadyCard</name>
    <message>
        <source>Address:</source>
        <translation>Адрес:</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Скопировать адрес</translation>
    </message>
    <message>
        <source>Open chat</source>
        <translation>Открыть чат</translation>
    </message>
    <message>
        <source>Stop server</source>
        <translation>Остановить сервер</translation>
    </message>
    <message>
        <source>The OpenAI-compatible address of the server, on this computer only</source>
        <translation>Адрес сервера, совместимый с OpenAI; доступен только с этого компьютера</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>About</source>
        <translation>О программе</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Оформление</translation>
    </message>
    <message>
        <source>Ask what happens to the server</source>
        <translation>Спрашивать, что делать с сервером</translation>
    </message>
    <message>
        <source>Behaviour</source>
        <translation>Поведение</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Тёмное</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>Движки</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Папки</translation>
    </message>
    <message>
        <source>Keep the server running</source>
        <translation>Оставлять сервер работать</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Язык</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Светлое</translation>
    </message>
    <message>
        <source>Like the system</source>
        <translation>Как в системе</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Журналы</translation>
    </message>
    <message>
        <source>Models made here</source>
        <translation>Подготовленные модели</translation>
    </message>
    <message>
        <source>Open the folder “{folder}”</source>
        <translation>Открыть папку «{folder}»</translation>
    </message>
    <message>
        <source>Runs language models on this computer with vLLM. Apache-2.0 licence.</source>
        <translation>Запускает языковые модели на этом компьютере с помощью vLLM. Лицензия Apache-2.0.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Настройки</translation>
    </message>
    <message>
        <source>Stop the server</source>
        <translation>Останавливать сервер</translation>
    </message>
    <message>
        <source>Stowage {version}</source>
        <translation>Stowage {version}</translation>
    </message>
    <message>
        <source>The language changes when Stowage is started again.</source>
        <translation>Язык сменится при следующем запуске Stowage.</translation>
    </message>
    <message>
        <source>When Stowage is closed</source>
        <translation>При закрытии Stowage</translation>
    </message>
</context>
<context>
    <name>Speech</name>
    <message>
        <source>A first trial run, so that your first answer comes fast.</source>
        <translation>Первый пробный прогон, чтобы ваш первый ответ пришёл быстро.</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>процессор</translation>
    </message>
    <message>
        <source>Memory for the conversation is set aside.</source>
        <translation>Выделяется память под разговор.</translation>
    </message>
    <message>
        <source>Starting: {phase}</source>
        <translation>Запуск: {phase}</translation>
    </message>
    <message>
        <source>The model is compiled for this machine. Faster start leaves this out.</source>
        <translation>Модель компилируется под этот компьютер. С быстрым стартом этот этап пропускается.</translation>
    </message>
    <message>
        <source>The model&apos;s weights are read from disk into memory.</source>
        <translation>Веса модели читаются с диска в память.</translation>
    </message>
    <message>
        <source>The server answers.</source>
        <translation>Сервер отвечает.</translation>
    </message>
    <message>
        <source>unknown device</source>
        <translation>неизвестное устройство</translation>
    </message>
    <message>
        <source>vLLM starts in its own environment and reads the model&apos;s configuration.</source>
        <translation>vLLM стартует в своём окружении и читает конфигурацию модели.</translation>
    </message>
    <message>
        <source>vLLM {version}, {platform}</source>
        <translation>vLLM {version}, {platform}</translation>
    </message>
    <message>
        <source>{percent} %</source>
        <translation>{percent} %</translation>
    </message>
</context>
<context>
    <name>StartingCard</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Отменяем…</translation>
    </message>
    <message>
        <source>Time since you pressed Launch</source>
        <translation>Время с момента запуска</translation>
    </message>
</context>
<context>
    <name>StatusStrip</name>
    <message>
        <source>Progress</source>
        <translation>Ход работы</translation>
    </message>
    <message>
        <source>Tokens per second of the answer being written</source>
        <translation>Сколько токенов в секунду пишется сейчас</translation>
    </message>
</context>
<context>
    <name>TraceChart</name>
    <message>
        <source>10 min ago</source>
        <translation>10 мин назад</translation>
    </message>
    <message>
        <source>The last ten minutes</source>
        <translation>Последние десять минут</translation>
    </message>
    <message>
        <source>now</source>
        <translation>сейчас</translation>
    </message>
</context>
<context>
    <name>TuningRows</name>
    <message>
        <source> GiB</source>
        <translation> ГиБ</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> ток.</translation>
    </message>
    <message>
        <source>At once</source>
        <translation>Сразу</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Контекст</translation>
    </message>
    <message>
        <source>How many requests are answered at the same time; others wait for their turn.</source>
        <translation>Сколько запросов выполняется одновременно; остальные ждут очереди.</translation>
    </message>
    <message>
        <source>How many tokens question and answers may have together. More context needs more memory.</source>
        <translation>Сколько токенов могут занимать вопросы и ответы вместе. Чем больше контекст, тем больше нужно памяти.</translation>
    </message>
    <message>
        <source>How much of a long question is read in one go. Less needs less memory and reads more slowly.</source>
        <translation>Сколько длинного вопроса читается за раз. Меньше — меньше памяти и медленнее чтение.</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-кэш</translation>
    </message>
    <message>
        <source>Leave free</source>
        <translation>Не занимать</translation>
    </message>
    <message>
        <source>Memory (RAM) set aside for the conversation: keys and values of every token in context.</source>
        <translation>Оперативная память под разговор: ключи и значения каждого токена контекста.</translation>
    </message>
    <message>
        <source>Memory of the graphics card that vLLM must not take: for your desktop and other programs.</source>
        <translation>Память видеокарты, которую vLLM не займёт: для рабочего стола и других программ.</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>Выгрузка</translation>
    </message>
    <message>
        <source>Tokens per step</source>
        <translation>Токенов за шаг</translation>
    </message>
    <message>
        <source>Weights kept in RAM instead of on the graphics card. Every token waits for them.</source>
        <translation>Веса в ОЗУ вместо видеокарты. Каждый токен их ждёт.</translation>
    </message>
    <message>
        <source>as vLLM likes</source>
        <translation>решает vLLM</translation>
    </message>
    <message>
        <source>none</source>
        <translation>нет</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>как у модели</translation>
    </message>
</context>
<context>
    <name>VerdictBar</name>
    <message>
        <source>Launch</source>
        <translation>Запустить</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Журнал</translation>
    </message>
    <message>
        <source>What the server said at the last launch</source>
        <translation>Что сервер сообщал при последнем запуске</translation>
    </message>
</context>
</TS>
